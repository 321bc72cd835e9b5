import CurlConnection
import HTTPSemantics
import TestSupport

@testable import RequestEra

/// Most questions about a server are answered on the network thread; an answer from the delegate queue costs one
/// connection, and counts from then on.
@Suite("Connections of ten requests in a row", .timeLimit(.minutes(5)))
struct HandshakeTests {
    private static let host = "localhost"

    /// The connections and handshakes of ten requests to a server that the system trusts.
    private static func counts(
        _ identity: TLSIdentity, _ policy: ServerTrustPolicy? = nil,
        delegate: SessionDelegate = SessionDelegate(),
        _ change: (SessionDelegate) -> Void = { _ in }
    ) async throws -> [Int] {
        let server = LoopbackServer.started(tls: TLSSettings(identity))
        defer { server.stop() }
        let manager = SessionManager(
            configuration: .ephemeral, delegate: delegate,
            serverTrustPolicyManager: policy.map { ServerTrustPolicyManager(policies: [host: $0]) })
        change(delegate)
        let queue = DispatchQueue(label: "handlers")
        for _ in 0..<10 {
            let error = await withCheckedContinuation { continuation in
                manager.request(server.url("/ok", host: host)).response(queue: queue) {
                    continuation.resume(returning: Given(value: $0.error))
                }
            }.value
            #expect(error == nil)
        }
        withExtendedLifetime(manager) {}
        return [server.statistics.connectionsAccepted, server.statistics.handshakes]
    }

    // The process's roots are read once.
    @Test func `one where nothing or a policy judges, two where a closure or a subclass may`() async
    {
        await #expect(processExitsWith: .success) {
            let identity = try TLSIdentity(.loopback)
            let folder = TemporaryFolder()
            let roots = try folder.write("roots.pem", identity.pem)
            setenv("SSL_CERT_FILE", roots.path, 1)
            let pin = [try Certificate(der: identity.der)]
            let policies: [ServerTrustPolicy?] = [
                nil, .performDefaultEvaluation(validateHost: true), .disableEvaluation,
                .pinCertificates(
                    certificates: pin, validateCertificateChain: true, validateHost: true),
                .pinPublicKeys(
                    publicKeys: pin.map(PublicKey.init), validateCertificateChain: true,
                    validateHost: true),
            ]
            for policy in policies {
                #expect(try await HandshakeTests.counts(identity, policy) == [1, 1])
            }
            let one = try await HandshakeTests.counts(identity) { delegate in
                delegate.taskDidReceiveData()
            }
            #expect(one == [1, 1], "Another closure asks nobody about servers.")
            let asked = Locked(0)
            let custom = ServerTrustPolicy.customEvaluation { _, _ in
                asked.withLock { $0 += 1 }
                return true
            }
            #expect(try await HandshakeTests.counts(identity, custom) == [2, 2])
            #expect(asked.withLock { $0 } == 1)
            let accepts = try await HandshakeTests.counts(identity) { delegate in
                delegate.sessionDidReceiveChallenge = { _, challenge in
                    let trust = challenge.protectionSpace.peerTrust
                    return (.useCredential, trust.map(PeerTrustCredential.init(peerTrust:)))
                }
            }
            #expect(accepts == [2, 2])
            // As programs do that answer Basic alone.
            let leaves = try await HandshakeTests.counts(identity) { delegate in
                delegate.taskDidReceiveChallengeWithCompletion = { _, _, _, completion in
                    completion(.performDefaultHandling, nil)
                }
            }
            #expect(leaves == [2, 2])
            // Swift does not tell on Linux what a subclass overrides, so it is asked.
            let subclass = try await HandshakeTests.counts(identity, delegate: Plain())
            #expect(subclass == [2, 2])
            let judged = try await HandshakeTests.counts(
                identity, .disableEvaluation, delegate: Plain())
            #expect(judged == [2, 2])
        }
    }

    @Test(arguments: [false, true])
    func `a policy that says something else judges a server that was accepted before`(
        _ isSubclass: Bool
    ) async throws {
        let identity = try TLSIdentity(.loopback)
        let server = LoopbackServer.started(tls: TLSSettings(identity))
        defer { server.stop() }
        let policies = ChangingPolicies(.disableEvaluation)
        let manager = SessionManager(
            configuration: .ephemeral, delegate: isSubclass ? Plain() : SessionDelegate(),
            serverTrustPolicyManager: policies)
        #expect(await manager.request(server.url("/ok")).ended().response?.statusCode == 200)
        let other = try Certificate(der: TLSIdentity(.loopback).der)
        policies.policy.withLock {
            $0 = .pinCertificates(
                certificates: [other], validateCertificateChain: false, validateHost: false)
        }
        let refused = await manager.request(server.url("/ok")).ended().error as? URLError
        #expect(refused?.code == .cancelled)
        let verdict = refused?.underlyingError as? URLError
        #expect(verdict?.code == .serverCertificateHasUnknownRoot)
        #expect(server.statistics.requests == 1)
    }

    @Test
    func `where a closure leaves a server to the policy, its refusal is the system's error`()
        async throws
    {
        let server = LoopbackServer.started(tls: TLSSettings(try TLSIdentity(.loopback)))
        defer { server.stop() }
        let manager = SessionManager(
            configuration: .ephemeral,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: [
                "127.0.0.1": .performDefaultEvaluation(validateHost: true)
            ]))
        manager.delegate.sessionDidReceiveChallenge = { _, _ in (.performDefaultHandling, nil) }
        for _ in 0..<2 {
            let refused = await manager.request(server.url("/ok")).ended().error as? URLError
            #expect(refused?.code == .serverCertificateUntrusted)
        }
        #expect(server.statistics.bytesReceived == 0)
    }
}

extension SessionDelegate {
    /// Sets a closure that has nothing to do with challenges.
    fileprivate func taskDidReceiveData() {
        taskDidComplete = { _, _, _ in }
    }
}

/// It overrides nothing.
private final class Plain: SessionDelegate, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds nothing.
}

private final class ChangingPolicies: ServerTrustPolicyManager, @unchecked Sendable {
    // @unchecked because the policy is locked.
    let policy: Locked<ServerTrustPolicy>

    init(_ policy: ServerTrustPolicy) {
        self.policy = Locked(policy)
        super.init(policies: [:])
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        policy.withLock { $0 }
    }
}
