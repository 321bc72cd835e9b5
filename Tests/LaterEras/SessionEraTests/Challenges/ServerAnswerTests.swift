import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionEra
import TLSPeer
import TestSupport

@Suite("Answers about a server, `.connection`", .timeLimit(.minutes(2)))
struct ServerAnswerTests {
    private let cast: Cast
    private let manager: URLSessionManager
    private let asked = Log<String>()

    init() throws {
        cast = try Cast()
        manager = URLSessionManager(sessionConfiguration: .ephemeral)
        manager.responseSerializer = HTTPResponseSerializer()
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [cast.root.certificate]
        manager.securityPolicy = policy
    }

    private func server(_ identity: Identity? = nil) throws -> TLSServer {
        try TLSServer(.init(identity ?? cast.good, chain: [cast.middle.certificate]))
    }

    private func error(_ server: TLSServer) async throws -> URLError? {
        let request = URLRequest(url: try server.url("localhost"))
        let log = Log<(any Error)?>()
        manager.dataTask(with: request) { _, _, error in log.add(error) }.resume()
        #expect(await log.reaches(1))
        return (log.all.first ?? nil) as? URLError
    }

    private func leave(_ server: TLSServer) -> TLSServer.Journal {
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        return server.stop()
    }

    private func acceptAll() {
        manager.setAuthenticationChallengeHandler { [asked] _, _, challenge, _ in
            asked.add(challenge.protectionSpace.authenticationMethod)
            return challenge.protectionSpace.peerTrust.map {
                .use(PeerTrustCredential(peerTrust: $0))
            } ?? .performDefaultHandling
        }
    }

    // MARK: - Ten requests in a row

    @Test func `without a block ten requests make one handshake`() async throws {
        let server = try server()
        for _ in 0..<10 { #expect(try await error(server) == nil) }
        #expect(leave(server).handshakes == 1)
    }

    @Test func `with a handler for Basic alone, which leaves servers to the policy, they make two`()
        async throws
    {
        let server = try server()
        manager.setAuthenticationChallengeHandler { [asked] _, _, challenge, _ in
            asked.add(challenge.protectionSpace.authenticationMethod)
            return .performDefaultHandling
        }
        for _ in 0..<10 { #expect(try await error(server) == nil) }
        #expect(asked.all.count == 1)
        #expect(leave(server).handshakes == 2)
    }

    @Test func `with a block that accepts they make two`() async throws {
        let server = try server(try Identity(.init("own", names: Cast.names)))
        manager.setSessionDidReceiveAuthenticationChallenge { [asked] _, challenge in
            asked.add("session")
            let trust = challenge.protectionSpace.peerTrust
            return (.useCredential, trust.map(PeerTrustCredential.init(peerTrust:)))
        }
        for _ in 0..<10 { #expect(try await error(server) == nil) }
        #expect(asked.all.count == 1)
        #expect(leave(server).handshakes == 2)
    }

    @Test(arguments: [false, true])
    func `operations make one, also with a challenge block`(hasBlock: Bool) throws {
        let server = try server()
        let thread = NetworkThread(name: "ten")
        for _ in 0..<10 {
            let operation = HTTPRequestOperation(
                request: URLRequest(url: try server.url("localhost")))
            operation.networkThread = thread
            operation.securityPolicy = manager.securityPolicy
            if hasBlock {
                operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                    challenge.sender?.performDefaultHandling(for: challenge)
                }
            }
            OperationQueue().addOperations([operation], waitUntilFinished: true)
            #expect(operation.error == nil)
        }
        #expect(server.stop().handshakes == 1)
    }

    // MARK: - How long an answer counts

    @Test func `an answer that accepts counts for an hour`() async throws {
        let server = try server(try Identity(.init("own", names: Cast.names)))
        let clock = TurnableClock()
        var configuration = URLConnectionConfiguration()
        configuration.clock = clock.clock
        manager.connectionConfiguration = configuration
        acceptAll()
        #expect(try await error(server) == nil)
        clock.turn(by: 3_590)
        #expect(try await error(server) == nil)
        #expect(asked.all.count == 1)
        clock.turn(by: 11)
        #expect(try await error(server) == nil)
        #expect(asked.all.count == 2)
        #expect(leave(server).requests.count == 3)
    }

    @Test func `a server whose certificate is out of date is asked about each time`() async throws {
        let server = try server(try cast.leaf { $0.end = -60 })
        acceptAll()
        for count in 1...3 {
            #expect(try await error(server) == nil)
            #expect(asked.all.count == count)
        }
        #expect(leave(server).requests.count == 3)
    }

    @Test func `the policy judges a server again that was left to it`() async throws {
        let server = try server()
        manager.setAuthenticationChallengeHandler { _, _, _, _ in .performDefaultHandling }
        let policy = manager.securityPolicy
        #expect(try await error(server) == nil)
        policy.anchorCertificates = []
        #expect(try await error(server)?.code == .serverCertificateUntrusted)
        policy.anchorCertificates = [cast.root.certificate]
        #expect(try await error(server) == nil)
        #expect(leave(server).requests.count == 2)
    }

    @Test
    func `a session that was reset is asked again about servers after a setting that judges them`()
        async throws
    {
        let server = try server(try Identity(.init("own", names: Cast.names)))
        acceptAll()
        #expect(try await error(server) == nil)
        let ends = Log<(any Error)?>()
        let waiting = manager.dataTask(with: URLRequest(url: try server.url("localhost"))) {
            ends.add($2)
        }
        manager.invalidateSessionCancelingTasks(false, resetSession: true)
        manager.setAuthenticationChallengeHandler { [asked] _, _, _, _ in
            asked.add("later")
            return .performDefaultHandling
        }
        waiting.resume()
        #expect(await ends.reaches(1))
        #expect((ends.all[0] as? URLError)?.code == .serverCertificateUntrusted)
        #expect(asked.all.last == "later" && asked.all.count == 2)
        #expect(leave(server).requests.count == 1)
    }

    @Test func `a setting that judges no server has nobody asked again, one that does has`()
        async throws
    {
        let server = try server()
        acceptAll()
        #expect(try await error(server) == nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "completion")
        manager.completionGroup = DispatchGroup()
        manager.reportsFailedMoveAsSuccess = true
        manager.forwardsCredentialsToOtherOrigins = true
        manager.reachabilityManager = .shared
        manager.setTaskDidComplete { _, _, _ in }
        manager.setDataTaskDidReceiveDataBlock { _, _, _ in }
        #expect(try await error(server) == nil)
        #expect(asked.all.count == 1)
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [cast.root.certificate]
        manager.securityPolicy = policy
        #expect(try await error(server) == nil)
        #expect(asked.all.count == 2)
        acceptAll()
        #expect(try await error(server) == nil)
        #expect(asked.all.count == 3)
        #expect(leave(server).requests.count == 4)
    }
}
