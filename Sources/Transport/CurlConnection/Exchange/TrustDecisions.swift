import Foundation
import FoundationNetworking
import HTTPSemantics

/// What the delegate said about the servers of one load.
///
/// libcurl cannot wait inside a handshake. Where the delegate answers late, the exchange is cancelled
/// with nothing sent, and the next exchange uses the answer that is kept here.
struct TrustDecisions {
    private struct Known {
        var host: String
        var certificates: [Certificate]
        var isAccepted: Bool
    }

    private var known: [Known] = []
    private var certificates: [Origin: ClientCertificateCredential] = [:]
    private var askedForCertificate: Set<Origin> = []

    var acceptedByDelegateOnly = false

    // MARK: Servers

    /// A server may have as many certificates; one that makes them has another in each handshake.
    private static let limit = 20

    /// Keeps an answer that came late.
    ///
    /// - Returns: false where so many certificates of this host were answered about late that there is no end to it.
    mutating func remember(_ trust: ServerTrust, isAccepted: Bool) -> Bool {
        guard known.count(where: { $0.host == trust.host }) < Self.limit else { return false }
        known.append(
            Known(host: trust.host, certificates: trust.certificates, isAccepted: isAccepted))
        return true
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

extension ServerTrustRequirements {
    /// The error for a server that does not fulfil the requirements; nil when it does.
    func refusal(of trust: ServerTrust, url: URL?) -> URLError? {
        let judgement = TrustJudgement(of: trust, by: self, host: trust.host)
        guard !judgement.isAccepted else { return nil }
        return URLError(
            judgement.errorCode ?? .serverCertificateUntrusted, url: url,
            text: judgement.objections)
    }

    /// The error for a server that the delegate refused. Where the requirements refuse it too, their
    /// error is the underlying one.
    func refusal(of trust: ServerTrust, url: URL?, saying text: String) -> URLError {
        let judged = refusal(of: trust, url: url)
        let reason = judged?.userInfo[NSLocalizedDescriptionKey] as? String
        return URLError(
            .userCancelledAuthentication, url: url,
            text: [text, reason].compactMap(\.self).joined(separator: " "), underlying: judged)
    }
}

/// The certificate and key for a server that asks for a certificate.
///
/// It is part of a transport's key, so loads with different ones, or none, never share a connection.
struct ClientIdentity: Hashable {
    /// Differs between certificates.
    let fingerprint: Data
    /// Gives OpenSSL's context the certificate and the key; false where OpenSSL refuses them.
    let install: (OpaquePointer) -> Bool

    static func == (left: ClientIdentity, right: ClientIdentity) -> Bool {
        left.fingerprint == right.fingerprint
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fingerprint)
    }
}
