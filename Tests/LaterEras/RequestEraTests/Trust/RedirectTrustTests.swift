import CurlConnection
import TestSupport

@testable import RequestEra

@Suite("The policy of the host that a redirect leads to", .timeLimit(.minutes(1)))
struct RedirectTrustTests {
    @Test(arguments: [false, true])
    func `a host without a policy is judged by the system's rule, not by that of the host before`(
        _ isDecided: Bool
    ) async throws {
        let server = LoopbackServer.started(tls: TLSSettings(try TLSIdentity(.loopback)))
        defer { server.stop() }
        let manager = SessionManager(
            configuration: .ephemeral,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: [
                "localhost": .disableEvaluation
            ]))
        if isDecided {
            manager.delegate.taskWillPerformHTTPRedirectionWithCompletion = {
                _, _, _, request, completion in
                DispatchQueue.global().async { completion(request) }
            }
        }
        func end(_ host: String) async -> DefaultDataResponse {
            server.add("/to/\(host)") { _ in
                .redirect(to: server.url("/ok", host: host).absoluteString)
            }
            return await manager.request(server.url("/to/\(host)", host: "localhost")).ended()
        }
        #expect(await end("localhost").response?.statusCode == 200)
        let refused = await end("127.0.0.1")
        #expect((refused.error as? URLError)?.code == .serverCertificateUntrusted)
        let hosts = server.requests.filter { $0.path == "/ok" }.map { $0.headers["Host"] }
        #expect(hosts == ["localhost:\(server.port)"])
    }
}
