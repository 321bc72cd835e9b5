import Foundation
package import FoundationNetworking

/// For whom a manager sends a request, as far as it is not in the request itself.
package struct SharingIdentity: Hashable, Sendable {
    /// What answers challenges: the same object, and not one that is equal.
    private let answers: (any AnyObject & Sendable)?
    /// The client's certificate, for each server that asks; the same object too.
    private let certificate: (any AnyObject & Sendable)?
    /// The field that the transport adds.
    private let cookies: String?
    /// The request that is sent, where a manager changes it.
    private let sent: SharingKey?

    package init(
        answers: (any AnyObject & Sendable)?, certificate: (any AnyObject & Sendable)?,
        cookies: String?, sent: URLRequest? = nil
    ) {
        self.answers = answers
        self.certificate = certificate
        self.cookies = cookies
        self.sent = sent.map { SharingKey($0, .equalRequests, for: nil) }
    }

    package static func == (one: SharingIdentity, other: SharingIdentity) -> Bool {
        one.answers === other.answers && one.certificate === other.certificate
            && one.cookies == other.cookies && one.sent == other.sent
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(answers.map { ObjectIdentifier($0) })
        hasher.combine(certificate.map { ObjectIdentifier($0) })
        hasher.combine(cookies)
        hasher.combine(sent)
    }
}
