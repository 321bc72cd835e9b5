import Foundation
package import FoundationNetworking

/// What two requests must have in common to share a transfer.
///
/// Only GET and HEAD are shared, and none with a body stream. Everything that may change the response
/// must be equal, and every header field that may contain a credential. Timeouts and priorities may
/// differ.
package struct SharingKey: Hashable, Sendable {
    private let url: String
    private var method = ""
    private var body: Data?
    private var reloads = false
    private var loads = true
    private var sendsCookies = true
    private var fields: [String: String] = [:]
    private var identity: Identity?
    /// For a request that is never shared.
    private var own: UUID?

    /// Names, in lower case, of header fields that may differ.
    private static let ignoredFields: Set = [
        "accept", "accept-encoding", "accept-language", "dnt", "priority", "user-agent",
    ]

    /// What `TransferStarting.sharingIdentity(for:)` returned.
    private struct Identity: Hashable, Sendable {
        let value: any Hashable & Sendable

        static func == (one: Identity, other: Identity) -> Bool {
            AnyHashable(one.value) == AnyHashable(other.value)
        }

        func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
    }

    /// - Parameter starter: makes the transfer; nil to compare the requests alone.
    package init(
        _ request: URLRequest, _ rule: TransferJoining, for starter: (any TransferStarting)?
    ) {
        url = request.url?.absoluteString ?? ""
        guard rule == .equalRequests else { return }
        identity = starter?.sharingIdentity(for: request).map(Identity.init)
        method = request.httpMethod ?? "GET"
        body = request.httpBody
        reloads = !request.usesStoredAnswers
        // A caller that allows a load must not get the error of a transfer that does not.
        loads = request.cachePolicy != .returnCacheDataDontLoad
        sendsCookies = request.httpShouldHandleCookies
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            if !Self.ignoredFields.contains(name) { fields[name] = value }
        }
        if !["GET", "HEAD"].contains(method) || request.httpBodyStream != nil { own = UUID() }
    }
}

extension URLRequest {
    /// Whether the cache policy allows a stored response.
    package var usesStoredAnswers: Bool {
        switch cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        default: false
        }
    }
}

/// The user for whom a manager sends a request, as far as the request does not say it.
package struct SharingIdentity: Hashable, Sendable {
    /// The object that answers challenges, compared by identity.
    private let answers: (any AnyObject & Sendable)?
    /// The client's certificate, compared by identity.
    private let certificate: (any AnyObject & Sendable)?
    /// The `Cookie` field that the transport adds.
    private let cookies: String?
    /// The request that is sent, if a manager changes it.
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
