import AFNetworking

class PinnedClient {
    let manager = AFHTTPRequestOperationManager(baseURL: URL(string: "https://bank.example.com/"))

    init() {
        let policy = AFSecurityPolicy(pinningMode: AFSSLPinningMode.certificate)
        policy.allowInvalidCertificates = false
        policy.validatesDomainName = true
        manager.securityPolicy = policy
    }

    var isPinned: Bool {
        return manager.securityPolicy.sslPinningMode == .certificate
    }
}
