public import HTTPSemantics
import Locking
package import OperationNetworking

/// What must be true of a server's certificates before a request is sent to it.
///
/// A policy of pins that has none, and one that looks for revoked certificates and has no list,
/// refuses every server. A server that sent no certificate is refused before any policy is asked.
public enum ServerTrustPolicy: Sendable {
    /// The chain must be valid and end at an anchor of the system.
    case performDefaultEvaluation(validateHost: Bool)
    /// The chain must be valid and end at an anchor of the system. In addition, one of the lists must be a current one of the
    /// authority that has issued the server's certificate, and must not contain that certificate. Lists are not downloaded:
    /// `revocationLists(in:)` reads files.
    case performRevokedEvaluation(
        validateHost: Bool, revocationLists: [CertificateRevocationList])
    /// One of the certificates is in the server's chain.
    ///
    /// With `validateCertificateChain` the certificates are the only anchors: a valid chain ends at
    /// one of them, whatever the system trusts. Without it nothing else is checked, so a certificate
    /// that has expired, or signed itself, passes. One that the server merely sends along is not in
    /// its chain, since any server can send a public certificate.
    case pinCertificates(
        certificates: [Certificate], validateCertificateChain: Bool, validateHost: Bool)
    /// One of the keys is in the server's chain; with `validateCertificateChain` the chain is valid
    /// and ends at an anchor of the system as well.
    case pinPublicKeys(publicKeys: [PublicKey], validateCertificateChain: Bool, validateHost: Bool)
    /// Any certificate of any server passes.
    case disableEvaluation
    /// The closure alone decides, on the thread that asks; it gets the server's certificates and the
    /// host of the request. It must not wait.
    @preconcurrency
    case customEvaluation(_ closure: @Sendable (_ serverTrust: ServerTrust, _ host: String) -> Bool)

    /// Whether a server may be talked to.
    ///
    /// Anchors that a program has set in the trust replace the system's.
    ///
    /// - Parameter host: the name that the certificate must have, where the policy validates it.
    public func evaluate(_ serverTrust: ServerTrust, forHost host: String) -> Bool {
        evaluate(
            serverTrust, forHost: host, anchors: serverTrust.terms.withLock { $0.anchors })
    }

    /// - Parameter anchors: they replace the system's anchors.
    func evaluate(
        _ serverTrust: ServerTrust, forHost host: String, anchors: [Certificate]?
    ) -> Bool {
        if case .customEvaluation(let closure) = self { return closure(serverTrust, host) }
        guard var requirements else { return false }
        requirements.anchors = requirements.anchors ?? anchors
        return SecurityPolicy(requirements).evaluate(serverTrust, forDomain: host)
    }

    /// The policy that a connection judges by before a byte is sent; nil where only the closure of
    /// `customEvaluation` decides.
    package var securityPolicy: SecurityPolicy? { requirements.map { SecurityPolicy($0) } }

    /// Whether only the closure of `customEvaluation` decides.
    var isDecidedByClosure: Bool {
        if case .customEvaluation = self { return true }
        return false
    }

    private var requirements: ServerTrustRequirements? {
        var requirements = ServerTrustRequirements()
        switch self {
        case .performDefaultEvaluation(let validateHost):
            requirements.verifiesHost = validateHost
        case .performRevokedEvaluation(let validateHost, let lists):
            requirements.verifiesHost = validateHost
            requirements.revocationLists = lists
            // Without a list nothing would be looked up; with no anchor nothing passes.
            if lists.isEmpty { requirements.anchors = [] }
        case .pinCertificates(let certificates, let validateCertificateChain, let validateHost):
            requirements.pin(certificates, to: .certificates)
            requirements.verifiesHost = validateHost
            requirements.verifiesChain = validateCertificateChain
            requirements.verifiesPathToPin = validateCertificateChain
            if validateCertificateChain { requirements.anchors = certificates }
        case .pinPublicKeys(let publicKeys, let validateCertificateChain, let validateHost):
            requirements.pin(publicKeys.map(\.certificate), to: .publicKeys)
            requirements.verifiesHost = validateHost
            requirements.verifiesChain = validateCertificateChain
            requirements.verifiesPathToPin = validateCertificateChain
        case .disableEvaluation:
            requirements.verifiesChain = false
            requirements.verifiesHost = false
        case .customEvaluation:
            return nil
        }
        return requirements
    }
}

extension ServerTrustRequirements {
    fileprivate mutating func pin(_ certificates: [Certificate], to kind: Pinning) {
        pinning = kind
        pins = certificates
    }
}

extension ServerTrustPolicy {
    /// The policy of a program that looks for revoked certificates if it can: without a list it looks
    /// for none, unless an answer is required. Lists that it has count as they always do.
    package static func lookingForRevoked(
        in lists: [CertificateRevocationList], validateHost: Bool, isAnswerRequired: Bool
    ) -> ServerTrustPolicy {
        if lists.isEmpty, !isAnswerRequired {
            return .performDefaultEvaluation(validateHost: validateHost)
        }
        return .performRevokedEvaluation(validateHost: validateHost, revocationLists: lists)
    }
}
