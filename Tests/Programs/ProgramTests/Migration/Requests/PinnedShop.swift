import CurlConnection
import Foundation
import FoundationNetworking
import RequestEra

// snippet: begin
struct PinnedShop {
    let sessionManager: SessionManager

    init(host: String, certificates: [Certificate] = ServerTrustPolicy.certificates()) {
        sessionManager = SessionManager(
            configuration: .ephemeral,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: [
                host: .pinCertificates(
                    certificates: certificates, validateCertificateChain: true,
                    validateHost: true),
                "test.example.com": .disableEvaluation,
            ]))
    }
}
// snippet: end
