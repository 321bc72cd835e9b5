import Foundation
package import FoundationNetworking
import HTTPSemantics
package import OperationNetworking

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
    /// What a connection for a request is judged by before a byte is sent: its host's policy, and
    /// the system's rule where there is none.
    ///
    /// It is the system's rule too for a policy that only a closure decides, which must answer the
    /// challenge about the server's trust: by a yes it accepts more, by a no it cancels.
    package func securityPolicy(for request: URLRequest) -> SecurityPolicy {
        let policy = request.url?.host.flatMap { serverTrustPolicy(forHost: $0) }
        return policy?.securityPolicy ?? .default()
    }
}
