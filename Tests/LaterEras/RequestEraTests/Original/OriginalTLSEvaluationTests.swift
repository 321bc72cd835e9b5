import CurlConnection
import SessionTasks
import TLSPeer
import TestSupport

@testable import RequestEra

/// `TLSEvaluationTests` of 4.9.1, each under the original's name without `test` or `testThat`. A server
/// of the test's stands in place of expired.badssl.com and revoked.badssl.com.
@Suite("TLSEvaluationTests", .timeLimit(.minutes(5)))
struct OriginalTLSEvaluationTests {
    private let cast: TrustCast
    private let leaf: Identity
    private static let host = "localhost"

    init() throws {
        cast = try TrustCast()
        var form = Identity.Form("expired", names: Cast.names)
        form.end = -3_600
        leaf = try Identity(form, signedBy: cast.ca2)
    }

    /// The error of one request to a server with this certificate.
    private func error(
        _ policy: ServerTrustPolicy?, of leaf: Identity? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (any Error)? {
        let chain = [cast.ca2, cast.root].map(\.certificate)
        let server = try TLSServer(TLSServer.Settings(leaf ?? self.leaf, chain: chain))
        let manager = SessionManager(
            configuration: .ephemeral,
            serverTrustPolicyManager: policy.map {
                ServerTrustPolicyManager(policies: [Self.host: $0])
            })
        let error = await withCheckedContinuation { continuation in
            manager.request("https://\(Self.host):\(server.port)/").response {
                continuation.resume(returning: $0.error)
            }
        }
        withExtendedLifetime(manager) {}
        let journal = server.stop()
        #expect(
            journal.requests.isEmpty == (error != nil), "A refused server gets no request.",
            sourceLocation: sourceLocation)
        return error
    }

    private func isRefused(
        _ policy: ServerTrustPolicy, of leaf: Identity? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await error(policy, of: leaf, sourceLocation: sourceLocation)
        #expect(
            (error as? URLError)?.code == .cancelled, "\(String(describing: error))",
            sourceLocation: sourceLocation)
    }

    private func isAccepted(
        _ policy: ServerTrustPolicy, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await error(policy, sourceLocation: sourceLocation)
        #expect(error == nil, sourceLocation: sourceLocation)
    }

    private func pins(_ certificates: [Certificate], chain: Bool) -> ServerTrustPolicy {
        .pinCertificates(
            certificates: certificates, validateCertificateChain: chain, validateHost: true)
    }

    private func keys(_ certificates: [Certificate], chain: Bool) -> ServerTrustPolicy {
        .pinPublicKeys(
            publicKeys: certificates.map(PublicKey.init), validateCertificateChain: chain,
            validateHost: true)
    }

    // MARK: Default behaviour

    @Test func `ExpiredCertificateRequestFailsWithNoServerTrustPolicy`() async throws {
        let error = try await error(nil) as? URLError
        #expect(error?.code == .serverCertificateUntrusted)
        let reason = error?.underlyingError as? URLError
        #expect(reason?.localizedDescription.contains("expired") == true)
    }

    // MARK: Default and revoked evaluation

    @Test func `ExpiredCertificateRequestFailsWithDefaultServerTrustPolicy`() async throws {
        try await isRefused(.performDefaultEvaluation(validateHost: true))
    }

    @Test func `ExpiredCertificateRequestFailsWithRevokedServerTrustPolicy`() async throws {
        let list = try cast.ca2.revocationList()
        try await isRefused(
            .performRevokedEvaluation(validateHost: true, revocationLists: [list]))
    }

    @Test func `RevokedCertificateRequestFailsWithRevokedServerTrustPolicy`() async throws {
        let good = try Identity(.init("good", names: Cast.names), signedBy: cast.ca2)
        let list = try cast.ca2.revocationList(of: [good.certificate])
        try await isRefused(
            .performRevokedEvaluation(validateHost: true, revocationLists: [list]), of: good)
    }

    // MARK: Pinned certificates

    @Test
    func
        `ExpiredCertificateRequestFailsWhenPinningLeafCertificateWithCertificateChainValidation`()
        async throws
    {
        try await isRefused(pins([leaf.certificate], chain: true))
    }

    @Test
    func
        `ExpiredCertificateRequestFailsWhenPinningAllCertificatesWithCertificateChainValidation`()
        async throws
    {
        let all = [leaf, cast.ca1, cast.ca2, cast.root].map(\.certificate)
        try await isRefused(pins(all, chain: true))
    }

    @Test
    func
        `ExpiredCertificateRequestSucceedsWhenPinningLeafCertificateWithoutCertificateChainValidation`()
        async throws
    {
        try await isAccepted(pins([leaf.certificate], chain: false))
    }

    @Test
    func
        `ExpiredCertificateRequestSucceedsWhenPinningIntermediateCACertificateWithoutCertificateChainValidation`()
        async throws
    {
        try await isAccepted(pins([cast.ca2.certificate], chain: false))
    }

    @Test
    func
        `ExpiredCertificateRequestSucceedsWhenPinningRootCACertificateWithoutCertificateChainValidation`()
        async throws
    {
        try await isAccepted(pins([cast.root.certificate], chain: false))
    }

    // MARK: Pinned keys

    @Test
    func
        `ExpiredCertificateRequestFailsWhenPinningLeafPublicKeyWithCertificateChainValidation`()
        async throws
    {
        try await isRefused(keys([leaf.certificate], chain: true))
    }

    @Test
    func
        `ExpiredCertificateRequestSucceedsWhenPinningLeafPublicKeyWithoutCertificateChainValidation`()
        async throws
    {
        try await isAccepted(keys([leaf.certificate], chain: false))
    }

    @Test
    func
        `ExpiredCertificateRequestSucceedsWhenPinningIntermediateCAPublicKeyWithoutCertificateChainValidation`()
        async throws
    {
        try await isAccepted(keys([cast.ca2.certificate], chain: false))
    }

    @Test
    func
        `ExpiredCertificateRequestSucceedsWhenPinningRootCAPublicKeyWithoutCertificateChainValidation`()
        async throws
    {
        try await isAccepted(keys([cast.root.certificate], chain: false))
    }

    // MARK: No evaluation, and a closure's

    @Test func `ExpiredCertificateRequestSucceedsWhenDisablingEvaluation`() async throws {
        try await isAccepted(.disableEvaluation)
    }

    @Test func `ExpiredCertificateRequestSucceedsWhenCustomEvaluationReturnsTrue`() async throws {
        try await isAccepted(.customEvaluation { _, _ in true })
    }

    @Test func `ExpiredCertificateRequestFailsWhenCustomEvaluationReturnsFalse`() async throws {
        try await isRefused(.customEvaluation { _, _ in false })
    }

    // MARK: Beyond the original's

    @Test func `a redirect to a pinned host is judged by that host's policy`() async throws {
        let stranger = try Identity(.init("stranger", names: Cast.names))
        let target = try TLSServer(TLSServer.Settings(stranger))
        var settings = TLSServer.Settings(leaf, chain: [cast.ca2.certificate])
        let url = "https://\(Self.host):\(target.port)/"
        settings.answer = { _ in TLSServer.redirect(to: url) }
        let front = try TLSServer(settings)
        let manager = SessionManager(
            configuration: .ephemeral,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: [
                "127.0.0.1": .disableEvaluation,
                Self.host: .pinCertificates(
                    certificates: [leaf.certificate], validateCertificateChain: false,
                    validateHost: true),
            ]))
        let error: (any Error)? = await withCheckedContinuation { continuation in
            manager.request("https://127.0.0.1:\(front.port)/").response {
                continuation.resume(returning: $0.error)
            }
        }
        withExtendedLifetime(manager) {}
        #expect((error as? URLError)?.code == .cancelled)
        #expect(front.stop().requests.count == 1)
        #expect(target.stop().requests.isEmpty)
    }
}
