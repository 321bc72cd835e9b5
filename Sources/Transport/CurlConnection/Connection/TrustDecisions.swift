import Foundation
import FoundationNetworking
import HTTPSemantics

/// What the delegate said about the servers of one load.
///
/// libcurl cannot wait inside a handshake. Where the delegate answers late, the exchange is cancelled
/// with nothing sent, and the next exchange uses the answer that is kept here.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct TrustDecisions {
    private struct Known {
        var host: String
        var certificates: [Certificate]
        var isAccepted: Bool
    }

    private var known: [Known] = []
    private var certificates: [Origin: ClientCertificateCredential] = [:]
    private var askedForCertificate: Set<Origin> = []

    /// A server was accepted by the delegate and not by the requirements.
    var acceptedByDelegateOnly = false

    // MARK: Servers

    /// Keeps an answer that came late.
    mutating func remember(_ trust: ServerTrust, isAccepted: Bool) {
        known.append(
            Known(host: trust.host, certificates: trust.certificates, isAccepted: isAccepted))
    }

    /// Whether the delegate accepted exactly this server; nil where it was not asked about it.
    func isAccepted(_ trust: ServerTrust) -> Bool? {
        known.last { $0.host == trust.host && $0.certificates == trust.certificates }
            .map(\.isAccepted)
    }

    // MARK: Client certificates

    /// Whether the delegate is to be asked for a certificate; true once for each origin.
    mutating func mustAskForCertificate(_ origin: Origin?) -> Bool {
        guard let origin else { return false }
        return certificates[origin] == nil && askedForCertificate.insert(origin).inserted
    }

    mutating func show(_ certificate: ClientCertificateCredential, to origin: Origin?) {
        if let origin { certificates[origin] = certificate }
    }

    /// The certificate for a server that asks for one.
    ///
    /// - Parameter preset: the configuration's, for the origin of the first URL alone.
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
