import Alamofire
import Foundation

/// A session that trusts the authorities that the program brings along, and no other.
class OwnAuthority {
    let sessionManager = SessionManager(configuration: .ephemeral)

    init(_ roots: [SecCertificate], host: String? = "127.0.0.1") {
        sessionManager.delegate.sessionDidReceiveChallenge = { _, challenge in
            guard let trust = challenge.protectionSpace.serverTrust else {
                return (.performDefaultHandling, nil)
            }

            let policy = SecPolicyCreateSSL(true, host as CFString?)
            SecTrustSetPolicies(trust, policy)
            SecTrustSetAnchorCertificates(trust, roots as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, true)

            var result = SecTrustResultType.invalid
            let status = SecTrustEvaluate(trust, &result)

            if status == errSecSuccess, result == .unspecified || result == .proceed {
                return (.useCredential, URLCredential(trust: trust))
            }
            return (.cancelAuthenticationChallenge, nil)
        }
    }
}

func byCustomEvaluation(of roots: [SecCertificate], host: String) -> SessionManager {
    let policy = ServerTrustPolicy.customEvaluation { trust, _ in
        SecTrustSetAnchorCertificates(trust, roots as CFArray)
        var error: CFError?
        return SecTrustEvaluateWithError(trust, &error) && error == nil
    }
    return SessionManager(
        configuration: .ephemeral,
        serverTrustPolicyManager: ServerTrustPolicyManager(policies: [host: policy]))
}

func trust(of certificates: [SecCertificate]) -> SecTrust? {
    var trust: SecTrust?
    SecTrustCreateWithCertificates(certificates as CFTypeRef, SecPolicyCreateBasicX509(), &trust)
    return trust
}
