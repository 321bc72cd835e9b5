import HTTPSemantics
import OperationNetworking
import SessionEra
import TestSupport

@Suite("Client certificates with `.connection`", .timeLimit(.minutes(1)))
struct ClientCertificateTests {
    private let server: LoopbackServer
    private let credential: ClientCertificateCredential
    private let manager = URLSessionManager(sessionConfiguration: .ephemeral)

    init() throws {
        let authority = try TLSIdentity(.authority("client root"))
        let client = try TLSIdentity(.client("somebody"), signedBy: authority)
        let identity = try TLSIdentity(.loopback)
        var settings = TLSSettings(identity)
        settings.clientCertificate = .demanded
        settings.clientAuthorities = [authority.der]
        server = LoopbackServer.started(tls: settings)
        credential = try ClientCertificateCredential(
            certificates: [Certificate(der: client.der)], privateKey: client.keyPEM)
        manager.responseSerializer = HTTPResponseSerializer()
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [try Certificate(der: identity.der)]
        manager.securityPolicy = policy
    }

    private func end() async throws -> (any Error)? {
        let log = Log<(any Error)?>()
        manager.dataTask(with: URLRequest(url: server.url("/ok"))) { _, _, error in
            log.add(error)
        }.resume()
        #expect(await log.reaches(1))
        return try #require(log.all.first)
    }

    private func leave() {
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        server.stop()
    }

    @Test
    func `the session's block is asked first, and what it gives is shown`() async throws {
        defer { leave() }
        let asked = Log<String>()
        let credential = credential
        manager.setSessionDidReceiveAuthenticationChallenge { _, challenge in
            let space = challenge.protectionSpace
            asked.add(space.authenticationMethod)
            guard space.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
                return (.performDefaultHandling, nil)
            }
            return (.useCredential, credential)
        }
        #expect(try await end() == nil)
        #expect(asked.all.contains(NSURLAuthenticationMethodClientCertificate))
        #expect(server.handshakes.last?.clientSubject == "CN = somebody")
        #expect(server.statistics.requests == 1)
    }

    @Test
    func `without the session's block the task's handler gives it`() async throws {
        defer { leave() }
        let credential = credential
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.protectionSpace.authenticationMethod
                == NSURLAuthenticationMethodClientCertificate
                ? .use(credential) : .performDefaultHandling
        }
        #expect(try await end() == nil)
        #expect(server.handshakes.last?.clientSubject == "CN = somebody")
    }

    @Test
    func `a server that demands one gets none by default, and the task fails`() async throws {
        defer { leave() }
        let error = try await end() as? URLError
        #expect(error?.code == .clientCertificateRequired)
        #expect(server.statistics.requests == 0)
    }
}
