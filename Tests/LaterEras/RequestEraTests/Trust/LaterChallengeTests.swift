import CurlConnection
import HTTPSemantics
import TestSupport

@testable import RequestEra

@Suite("A closure about challenges that is set later", .timeLimit(.minutes(1)))
struct LaterChallengeTests {
    private typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

    private static func accept(_ challenge: URLAuthenticationChallenge) -> Answer {
        (
            .useCredential,
            challenge.protectionSpace.peerTrust.map(PeerTrustCredential.init(peerTrust:))
        )
    }

    @Test func `is asked about a server that was accepted before`() async throws {
        let server = LoopbackServer.started(tls: TLSSettings(try TLSIdentity(.loopback)))
        defer { server.stop() }
        let refuse: Answer = (.cancelAuthenticationChallenge, nil)
        let changes: [@Sendable (SessionDelegate) -> Void] = [
            { $0.sessionDidReceiveChallenge = { _, _ in refuse } },
            { $0.sessionDidReceiveChallengeWithCompletion = { $2(refuse.0, refuse.1) } },
            { delegate in
                delegate.taskDidReceiveChallenge = { _, _, _ in refuse }
                delegate.sessionDidReceiveChallenge = nil
            },
        ]
        for change in changes {
            let manager = SessionManager(configuration: .ephemeral)
            manager.delegate.sessionDidReceiveChallenge = { Self.accept($1) }
            #expect(await manager.request(server.url("/ok")).ended().response?.statusCode == 200)
            change(manager.delegate)
            let later = await manager.request(server.url("/ok")).ended()
            #expect((later.error as? URLError)?.code == .cancelled)
        }
        #expect(server.statistics.requests == changes.count)
    }

    @Test func `is asked too where the one before answers after it was set`() async throws {
        let server = LoopbackServer.started(tls: TLSSettings(try TLSIdentity(.loopback)))
        defer { server.stop() }
        let manager = SessionManager(configuration: .ephemeral)
        manager.delegate.sessionDidReceiveChallengeWithCompletion = {
            [unowned delegate = manager.delegate] _, challenge, completion in
            delegate.sessionDidReceiveChallengeWithCompletion = {
                $2(.cancelAuthenticationChallenge, nil)
            }
            let answer = Self.accept(challenge)
            completion(answer.0, answer.1)
        }
        #expect(await manager.request(server.url("/ok")).ended().response?.statusCode == 200)
        let later = await manager.request(server.url("/ok")).ended()
        #expect((later.error as? URLError)?.code == .cancelled)
    }
}
