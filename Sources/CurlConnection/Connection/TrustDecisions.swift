import Foundation
import FoundationNetworking
import HTTPSemantics

/// What the delegate said about the servers of one load.
///
/// libcurl cannot wait for an answer in the middle of a handshake. So an exchange whose answer
/// comes late is given up with nothing sent, and the next one goes by what is remembered here.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct TrustDecisions {
    private enum Answer {
        case accepted, judge
    }

    private struct Known {
        var host: String
        var certificates: [Certificate]
        var answer: Answer
    }

    private var known: [Known] = []
    private var certificates: [Origin: ClientCertificateCredential] = [:]
    private var askedForCertificate: Set<Origin> = []

    /// A server was accepted on the delegate's word alone.
    var acceptedByDelegateOnly = false

    // MARK: Servers

    /// Remembers an answer that came late.
    mutating func remember(_ trust: ServerTrust, isAccepted: Bool) {
        known.append(
            Known(
                host: trust.host, certificates: trust.certificates,
                answer: isAccepted ? .accepted : .judge))
    }

    /// Whether the delegate accepted exactly this server; nil where it was not asked.
    func isAccepted(_ trust: ServerTrust) -> Bool? {
        known.last { $0.host == trust.host && $0.certificates == trust.certificates }
            .map { $0.answer == .accepted }
    }

    // MARK: Client certificates

    /// Whether the delegate is to be asked for a certificate; yes once for each origin.
    mutating func mustAskForCertificate(_ origin: Origin?) -> Bool {
        guard let origin else { return false }
        return certificates[origin] == nil && askedForCertificate.insert(origin).inserted
    }

    mutating func show(_ certificate: ClientCertificateCredential, to origin: Origin?) {
        if let origin { certificates[origin] = certificate }
    }

    /// What is shown to a server that asks.
    ///
    /// - Parameter preset: what the caller set beforehand, for the origin of the first URL alone.
    func clientIdentity(
        for url: URL, preset: ClientCertificateCredential?, of first: URL?
    ) -> ClientIdentity? {
        if certificates.isEmpty, preset == nil { return nil }
        let isFirst = Origin.isSame(first, url)
        let certificate = Origin(url).flatMap { certificates[$0] } ?? (isFirst ? preset : nil)
        return certificate.map { certificate in
            ClientIdentity(fingerprint: certificate.identity) { certificate.install(in: $0) }
        }
    }
}
