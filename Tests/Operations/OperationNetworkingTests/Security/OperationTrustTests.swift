import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

@Suite("An operation's policy decides before a byte is sent", .timeLimit(.minutes(5)))
struct OperationTrustTests {
    private let cast: Cast

    init() throws {
        cast = try Cast()
    }

    private func policy(
        _ mode: SecurityPolicy.PinningMode = .none, pins: [Certificate] = []
    ) -> SecurityPolicy {
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: pins)
        policy.anchorCertificates = [cast.root.certificate]
        return policy
    }

    /// Runs one operation against a server with an identity, and ends both.
    private func run(
        _ identity: Identity, _ policy: SecurityPolicy,
        _ change: (URLConnectionOperation) -> URLConnectionOperation? = { $0 }
    ) throws -> (URLConnectionOperation, TLSServer.Journal) {
        let server = try TLSServer(.init(identity, chain: [cast.middle.certificate]))
        let made = URLConnectionOperation(
            request: URLRequest(url: try server.url("localhost")))
        made.securityPolicy = policy
        let operation = try #require(change(made))
        let queue = OperationQueue()
        queue.addOperations([operation], waitUntilFinished: true)
        return (operation, server.stop())
    }

    @Test func `what the policy refuses fails with -1012, the reason beneath, and nothing sent`()
        throws
    {
        let other = try Identity(.init("other")).certificate
        let expired = try cast.leaf { $0.end = -60 }
        let rows: [(Identity, SecurityPolicy, String)] = [
            (cast.good, .default(), "local issuer"),
            (cast.good, policy(.publicKey, pins: [other]), "pin"),
            (cast.good, policy(.certificate), "no pinned certificate"),
            (expired, policy(), "expired"),
            (try cast.leaf { $0.names = "DNS:b.test" }, policy(), "does not name localhost"),
        ]
        for (identity, policy, words) in rows {
            let (operation, journal) = try run(identity, policy)
            let error = try #require(operation.error as? URLError)
            #expect(error.code == .userCancelledAuthentication)
            #expect(error.localizedDescription.contains(words), "\(error)")
            #expect(error.userInfo[NSUnderlyingErrorKey] != nil)
            #expect(operation.response == nil)
            #expect(journal.bytes == 0)
        }
    }

    @Test func `a copy is as strict as its original`() throws {
        let other = try Identity(.init("other")).certificate
        let (copy, journal) = try run(cast.good, policy(.publicKey, pins: [other])) {
            $0.copy() as? URLConnectionOperation
        }
        #expect((copy.error as? URLError)?.code == .userCancelledAuthentication)
        #expect(journal.bytes == 0)
    }

    @Test func `a challenge block that leaves the server open leaves it to the policy`() throws {
        let other = try Identity(.init("other")).certificate
        for isPinned in [false, true] {
            let policy = isPinned ? policy(.publicKey, pins: [other]) : policy()
            let (operation, journal) = try run(cast.good, policy) {
                $0.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                    let user = URLCredential(user: "u", password: "p", persistence: .none)
                    challenge.sender?.use(user, for: challenge)
                }
                return $0
            }
            #expect((operation.error == nil) == !isPinned)
            #expect((journal.bytes == 0) == isPinned)
        }
    }

    @Test func `a challenge block may accept what the policy refuses`() throws {
        let own = try Identity(.init("own"))
        let (operation, _) = try run(own, policy()) {
            $0.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                guard let trust = challenge.protectionSpace.peerTrust else { return }
                challenge.sender?.use(PeerTrustCredential(peerTrust: trust), for: challenge)
            }
            return $0
        }
        #expect(operation.responseString == "ok")
    }

    @Test(arguments: [true, false])
    func `on a kept connection a block or a subclass is asked for each request`(
        isBlock: Bool
    ) throws {
        let server = try TLSServer(cast.settings)
        let request = URLRequest(url: try server.url("localhost"))
        let thread = NetworkThread(name: "kept")
        let policy = policy()
        func run(_ operation: URLConnectionOperation) -> URLError.Code? {
            operation.networkThread = thread
            operation.securityPolicy = policy
            OperationQueue().addOperations([operation], waitUntilFinished: true)
            return (operation.error as? URLError)?.code
        }
        #expect(run(URLConnectionOperation(request: request)) == nil)
        #expect(run(URLConnectionOperation(request: request)) == nil)
        let refusing =
            isBlock ? URLConnectionOperation(request: request) : Refusing(request: request)
        if isBlock {
            refusing.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                challenge.sender?.cancel(challenge)
            }
        }
        #expect(run(refusing) == .userCancelledAuthentication)
        let journal = server.stop()
        #expect(journal.requests == ["1 /", "1 /"])
        #expect(journal.handshakes == 1)
    }
}

/// Trusts nobody, whatever the policy says.
private final class Refusing: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it adds no variable.
    override func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        challenge.sender?.cancel(challenge)
    }
}
