import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionEra
import TLSPeer
import TestSupport

@Suite(
    "Server trust and Digest with `.connection`: UM-17 to UM-19, LX-12 to LX-14",
    .timeLimit(.minutes(1)))
struct TrustTests {
    private let cast: Cast
    private let server: TLSServer
    private let manager: URLSessionManager

    init() throws {
        cast = try Cast()
        server = try TLSServer(cast.settings)
        manager = URLSessionManager(sessionConfiguration: .ephemeral)
        manager.responseSerializer = HTTPResponseSerializer()
    }

    private func error() async throws -> URLError? {
        let request = URLRequest(url: try server.url("localhost"))
        let log = Log<(any Error)?>()
        manager.dataTask(with: request) { _, _, error in log.add(error) }.resume()
        #expect(await log.reaches(1))
        return (log.all.first ?? nil) as? URLError
    }

    private func leave() -> TLSServer.Journal {
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        return server.stop()
    }

    @Test
    func `UM-19 the policy decides: a refused server is -1202 with its trust, and gets no request`()
        async throws
    {
        let refused = try #require(try await error())
        #expect(refused.code == .serverCertificateUntrusted)
        let info = refused.errorUserInfo
        #expect(
            (info[NSURLErrorFailingURLPeerTrustErrorKey] as? ServerTrust)?.certificates.first
                == cast.good.certificate)
        #expect(info[NSURLErrorFailingURLErrorKey] as? URL == (try server.url("localhost")))
        #expect(refused.localizedDescription.contains("localhost"))
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [cast.root.certificate]
        manager.securityPolicy = policy
        #expect(try await error() == nil)
        let pinned = try SecurityPolicy.pinning(.publicKey, to: [cast.good.certificate])
        pinned.anchorCertificates = [cast.root.certificate]
        manager.securityPolicy = pinned
        #expect(try await error() == nil)
        let wrong = try SecurityPolicy.pinning(.certificate, to: [try Cast().root.certificate])
        wrong.anchorCertificates = [cast.root.certificate]
        manager.securityPolicy = wrong
        #expect(try await error()?.code == .serverCertificateUntrusted)
        manager.securityPolicy = SecurityPolicy(pinningMode: .publicKey)
        #expect(try await error()?.code == .serverCertificateUntrusted)
        #expect(leave().requests.count == 2)
    }

    @Test
    func `UM-19 default handling leaves it to the policy; a handler accepts a server, once asked`()
        async throws
    {
        let asked = Log<String>()
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            asked.add(challenge.protectionSpace.authenticationMethod)
            return .performDefaultHandling
        }
        #expect(try await error()?.code == .serverCertificateUntrusted)
        #expect(asked.all == [NSURLAuthenticationMethodServerTrust])
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            asked.add("again")
            return challenge.protectionSpace.peerTrust.map {
                .use(PeerTrustCredential(peerTrust: $0))
            } ?? .cancel
        }
        for _ in 0..<3 { #expect(try await error() == nil) }
        #expect(asked.all == [NSURLAuthenticationMethodServerTrust, "again"])
        // A change of the policy or of a block has it asked again.
        manager.setAuthenticationChallengeHandler { _, _, _, _ in
            asked.add("refused")
            return .cancel
        }
        #expect(try await error()?.code == .cancelled)
        #expect(asked.all.last == "refused")
        #expect(leave().requests.count == 3)
    }

    @Test
    func `UM-17 the session's block is asked in place of the task's handler`() async throws {
        let asked = Log<String>()
        manager.setAuthenticationChallengeHandler { _, _, _, _ in
            asked.add("task")
            return .performDefaultHandling
        }
        manager.setSessionDidReceiveAuthenticationChallenge { session, challenge in
            asked.add("session")
            return challenge.protectionSpace.peerTrust.map {
                (.useCredential, PeerTrustCredential(peerTrust: $0))
            } ?? (.cancelAuthenticationChallenge, nil)
        }
        #expect(try await error() == nil)
        #expect(asked.all == ["session"])
        manager.setSessionDidReceiveAuthenticationChallenge { _, _ in
            (.cancelAuthenticationChallenge, nil)
        }
        #expect(try await error()?.code == .cancelled)
        #expect(leave().requests.count == 1)
    }

    @Test
    func `LX-14 three cold requests of HTTP 2 share one connection`() async throws {
        let http2 = try HTTP2Server(cast.settings) {
            HTTP2Server.reply($1, "answer \($0)", control: "no-store")
        }
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [cast.root.certificate]
        manager.securityPolicy = policy
        let url = try #require(URL(string: "https://localhost:\(http2.port)/"))
        let log = Log<String>()
        let tasks = (0..<6).map { _ in
            manager.dataTask(with: URLRequest(url: url)) { _, object, error in
                log.add((object as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "error")
            }
        }
        for task in tasks { task.resume() }
        #expect(await log.reaches(6))
        #expect(log.all == Array(repeating: "answer 1", count: 6))
        _ = leave()
        #expect(http2.stop() == 1)
    }

    @Test
    func `LX-12 a challenge for Digest is answered`() async throws {
        let world = TestWorld.sessions()
        world.manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.previousFailureCount == 0
                ? .use(URLCredential(user: "user", password: "pass", persistence: .none))
                : .performDefaultHandling
        }
        let outcome = await world.data("/digest-auth/auth/user/pass")
        #expect(outcome.status == 200)
        #expect(await world.data("/digest-auth/auth/user/other").status == 401)
        _ = leave()
    }
}
