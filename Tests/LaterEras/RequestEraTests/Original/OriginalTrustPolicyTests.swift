import CurlConnection
import TLSPeer
import TestSupport

@testable import RequestEra

/// `ServerTrustPolicyTests` of 4.9.1, each row under the original's name without `testThat`.
@Suite("ServerTrustPolicyTests", .timeLimit(.minutes(5)))
struct OriginalServerTrustPolicyTests {
    /// One test of the original.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var policy: @Sendable (TrustCast) -> ServerTrustPolicy
        var trust: @Sendable (TrustCast) -> ServerTrust
        var passes: Bool
        /// Whether the test made the root the one anchor.
        var isAnchored: Bool
        var hosts: [String]

        var testDescription: String { name }

        init(
            _ name: String, _ policy: @escaping @Sendable (TrustCast) -> ServerTrustPolicy,
            _ trust: @escaping @Sendable (TrustCast) -> ServerTrust, passes: Bool,
            isAnchored: Bool = true, hosts: [String] = [TrustCast.host]
        ) {
            self.name = name
            self.policy = policy
            self.trust = trust
            self.passes = passes
            self.isAnchored = isAnchored
            self.hosts = hosts
        }
    }

    private static let cast = Swift.Result { try TrustCast() }

    private func check(_ test: Case) throws {
        let cast = try Self.cast.get()
        let policy = test.policy(cast)
        for host in test.hosts {
            let isTrusted = policy.evaluate(
                test.trust(cast), forHost: host,
                anchors: test.isAnchored ? [cast.root.certificate] : nil)
            #expect(isTrusted == test.passes, "\(host)")
        }
    }

    @Test(arguments: TrustCases.explorationX509)
    func `ServerTrustPolicyExplorationBasicX509PolicyValidationTestCase`(_ test: Case) throws {
        try check(test)
    }

    @Test(arguments: TrustCases.explorationSSL)
    func `ServerTrustPolicyExplorationSSLPolicyValidationTestCase`(_ test: Case) throws {
        try check(test)
    }

    @Test(arguments: TrustCases.defaultEvaluation)
    func `ServerTrustPolicyPerformDefaultEvaluationTestCase`(_ test: Case) throws {
        try check(test)
    }

    @Test(arguments: TrustCases.revokedEvaluation)
    func `ServerTrustPolicyPerformRevokedEvaluationTestCase`(_ test: Case) throws {
        try check(test)
    }

    @Test(arguments: TrustCases.pinnedCertificates)
    func `ServerTrustPolicyPinCertificatesTestCase`(_ test: Case) throws {
        try check(test)
    }

    @Test(arguments: TrustCases.pinnedKeys)
    func `ServerTrustPolicyPinPublicKeysTestCase`(_ test: Case) throws {
        try check(test)
    }

    @Test(arguments: TrustCases.disabledAndCustom)
    func `ServerTrustPolicyDisableEvaluationTestCase, …CustomEvaluationTestCase`(
        _ test: Case
    ) throws {
        try check(test)
    }

    /// DER alone, as the original's own test says of each system but the older macOS.
    @Test func `OnlyValidCertificatesAreDetected`() throws {
        let cast = try Self.cast.get()
        let folder = try ResourceFolder()
        let der = cast[.validDNSName].der
        for ending in ["cer", "crt", "der"] {
            try folder.add("certDER.\(ending)", der)
            try folder.add("certPEM.\(ending)", cast[.validURI].der.asPEM)
        }
        try folder.add("devURandomGibberish.crt", Data((0..<1_000).map { UInt8($0 & 255) }))
        try folder.add("keyDER.der", cast[.validDNSName].publicKey)
        try folder.add("keyPEM.pem", der.asPEM)
        let found = ServerTrustPolicy.certificates(in: folder.bundle)
        #expect(found == Array(repeating: cast[.validDNSName], count: 3))
    }

    @Test func `all 79 tests are here, each once in its class`() {
        let tables = [
            TrustCases.explorationX509, TrustCases.explorationSSL, TrustCases.defaultEvaluation,
            TrustCases.revokedEvaluation, TrustCases.pinnedCertificates, TrustCases.pinnedKeys,
            TrustCases.disabledAndCustom,
        ]
        #expect(tables.map(\.count) == [4, 9, 11, 11, 23, 16, 4])
        #expect(tables.map(\.count).reduce(1, +) == 79)
        #expect(tables.allSatisfy { Set($0.map(\.name)).count == $0.count })
    }
}

/// A folder that serves as a bundle and goes with the value.
struct ResourceFolder {
    private let folder = TemporaryFolder()
    let bundle: Bundle

    init() throws { bundle = try #require(Bundle(path: folder.url.path)) }

    func add(_ name: String, _ bytes: Data) throws { _ = try folder.write(name, bytes) }
}
