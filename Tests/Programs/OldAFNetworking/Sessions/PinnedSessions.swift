import AFNetworking

func pinnedSessions(_ server: URL, certificate: URL) throws -> AFHTTPSessionManager {
    // snippet: begin
    let manager = AFHTTPSessionManager(baseURL: server)
    let pins: Set<Data> = [try Data(contentsOf: certificate)]
    manager.securityPolicy = AFSecurityPolicy(
        pinningMode: .certificate, withPinnedCertificates: pins)
    // snippet: end
    return manager
}
