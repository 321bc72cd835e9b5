// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import AFNetworking

func pinnedBank(_ base: URL, certificate path: String) -> AFHTTPRequestOperationManager {
    // snippet: begin
    let manager = AFHTTPRequestOperationManager(baseURL: base)
    let policy = AFSecurityPolicy(pinningMode: .certificate)
    policy.pinnedCertificates = [try! Data(contentsOf: URL(fileURLWithPath: path))]
    manager.securityPolicy = policy
    // snippet: end
    return manager
}
