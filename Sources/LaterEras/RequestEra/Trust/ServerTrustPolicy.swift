import Foundation
import FoundationNetworking
public import HTTPSemantics
import Locking

/// What must be true of a server's certificates before a request is sent to it.
///
/// A policy of pins that has none, and one that looks for revoked certificates and has no list,
/// refuses every server. A connection refuses a server without certificates, whatever the policy.
public enum ServerTrustPolicy: Sendable {
    /// The chain must be valid and end at an anchor of the system.
    case performDefaultEvaluation(validateHost: Bool)
    /// The chain must be valid and end at an anchor of the system. In addition, one of the lists must be a current one
    /// of the authority that has issued the server's certificate, and no list may name a certificate of the chain.
    /// Lists are not downloaded: `revocationLists(in:)` reads files.
    case performRevokedEvaluation(
        validateHost: Bool, revocationLists: [CertificateRevocationList])
    /// One of the certificates is in the server's chain.
    ///
    /// With `validateCertificateChain` the certificates are the only anchors: a valid chain ends at
    /// one of them, whatever the system trusts. Without it a server passes whose own certificate is a pin. On the way
    /// to another pin neither dates nor the system's anchors count; any other fault refuses the server.
    /// A certificate that the server merely sends along is not in its chain, since any server can send a public one.
    case pinCertificates(
        certificates: [Certificate], validateCertificateChain: Bool, validateHost: Bool)
    /// One of the keys is in the server's chain; with `validateCertificateChain` the chain is valid
    /// and ends at an anchor of the system as well.
    case pinPublicKeys(publicKeys: [PublicKey], validateCertificateChain: Bool, validateHost: Bool)
    /// Any certificate of any server passes.
    case disableEvaluation
    /// The closure alone decides, unless the session has a challenge closure. It is called on the session's delegate
    /// queue, or by `evaluate`; it must not wait. It gets the host of the request. A yes is stored for an hour at
    /// most, and a no is not.
    @preconcurrency
    case customEvaluation(_ closure: @Sendable (_ serverTrust: ServerTrust, _ host: String) -> Bool)

    /// Whether a server may be talked to.
    ///
    /// Anchors that a program has set in the trust replace the system's, unless it has said that they are not the only ones.
    ///
    /// - Parameter host: the name that the certificate must have, where the policy validates it.
    public func evaluate(_ serverTrust: ServerTrust, forHost host: String) -> Bool {
        let terms = serverTrust.terms.withLock { $0 }
        if evaluate(serverTrust, forHost: host, anchors: terms.anchors) { return true }
        guard terms.anchors != nil, terms.includesSystem, !isDecidedByClosure else { return false }
        return evaluate(serverTrust, forHost: host, anchors: nil)
    }

    /// - Parameter anchors: they replace the system's anchors.
    func evaluate(
        _ serverTrust: ServerTrust, forHost host: String, anchors: [Certificate]?
    ) -> Bool {
        if case .customEvaluation(let closure) = self { return closure(serverTrust, host) }
        guard var requirements else { return false }
        requirements.anchors = requirements.anchors ?? anchors
        return TrustJudgement(of: serverTrust, by: requirements, host: host).isAccepted
    }

    /// Whether only the closure of `customEvaluation` decides.
    var isDecidedByClosure: Bool {
        if case .customEvaluation = self { return true }
        return false
    }

    /// What a connection judges by before a byte of the request is sent; nil where only the closure of
    /// `customEvaluation` decides.
    var requirements: ServerTrustRequirements? {
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

/// The policies of a session, each for one host.
///
/// A host has a policy if its name is the policy's, however either is spelled: upper case, a final
/// dot and international labels make no difference, since they lead to the same server. Other
/// hosts, also subdomains, have none, and are judged as a session without policies judges them. A
/// subclass may choose otherwise, for example for all hosts of a domain.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; all is constant.
open class ServerTrustPolicyManager: @unchecked Sendable {
    // @unchecked because the compiler does not accept an open class as Sendable; all it has is
    // constant.

    /// The policies by host.
    public let policies: [String: ServerTrustPolicy]
    /// By the spelling that hosts are compared in.
    private let policiesByName: [String: ServerTrustPolicy]

    /// Makes a manager of policies.
    ///
    /// - Parameter policies: by host name or address, without scheme and port.
    public init(policies: [String: ServerTrustPolicy]) {
        self.policies = policies
        policiesByName = policies.sorted { $0.key < $1.key }.reduce(into: [:]) { all, entry in
            all[Self.canonical(entry.key)] = entry.value
        }
    }

    /// The policy of a host; nil where it has none.
    open func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        policies[host] ?? policiesByName[Self.canonical(host)]
    }

    private static func canonical(_ host: String) -> String {
        var name = host
        if name.hasPrefix("["), name.hasSuffix("]") {
            name = String(name.dropFirst().dropLast())
        }
        name = CanonicalHost(name)?.text ?? name.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name
    }
}

extension ServerTrustPolicyManager {
    /// What a connection is judged by before a byte of the request is sent: its host's policy, and
    /// the system's rule where there is none.
    ///
    /// It is the system's rule too for a policy that only a closure decides, which must answer the
    /// challenge about the server's trust: by a yes it accepts more, by a no it cancels.
    func requirements(for request: URLRequest) -> ServerTrustRequirements {
        let policy = request.url?.host.flatMap { serverTrustPolicy(forHost: $0) }
        return policy?.requirements ?? ServerTrustRequirements()
    }
}
