import Alamofire
import Foundation

// snippet: begin
class PinnedShop {
    let sessionManager: SessionManager

    init(host: String, certificates: [SecCertificate] = ServerTrustPolicy.certificates()) {
        let serverTrustPolicies: [String: ServerTrustPolicy] = [
            host: .pinCertificates(
                certificates: certificates,
                validateCertificateChain: true,
                validateHost: true
            ),
            "test.example.com": .disableEvaluation,
        ]

        sessionManager = SessionManager(
            configuration: URLSessionConfiguration.ephemeral,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: serverTrustPolicies)
        )
    }
}
// snippet: end

class DomainPolicies: ServerTrustPolicyManager {
    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        var policy: ServerTrustPolicy?

        if host.hasSuffix(".example.com") {
            policy = .pinPublicKeys(
                publicKeys: ServerTrustPolicy.publicKeys(), validateCertificateChain: true,
                validateHost: true)
        }

        return policy
    }
}

func readPin(_ url: URL) -> SecCertificate? {
    guard let data = try? Data(contentsOf: url) else { return nil }
    return SecCertificateCreateWithData(nil, data as CFData)
}

func revokedEvaluation(_ flags: CFOptionFlags) -> ServerTrustPolicy {
    return .performRevokedEvaluation(validateHost: true, revocationFlags: flags)
}

func otherPolicies(_ log: @escaping (String) -> Void) -> [ServerTrustPolicy] {
    return [
        .performDefaultEvaluation(validateHost: true),
        .performRevokedEvaluation(
            validateHost: true, revocationFlags: kSecRevocationUseAnyAvailableMethod),
        .customEvaluation { serverTrust, host in
            log(host)
            return false
        },
    ]
}
