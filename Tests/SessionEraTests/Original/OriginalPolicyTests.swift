import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import SessionEra
import Testing

/// AFHTTPSessionManagerTests of AFNetworking 4.0.1: security policies, copies and archives.
@Suite("Originals: policies and archives", .timeLimit(.minutes(1)))
struct OriginalPolicyTests {
    private func set(_ mode: SecurityPolicy.PinningMode, base: String?) throws {
        let manager = HTTPSessionManager(baseURL: base.flatMap { URL(string: $0) })
        let policy = SecurityPolicy(pinningMode: mode)
        do {
            try manager.setSecurityPolicy(policy)
            #expect(manager.securityPolicy === policy)
        } catch {
            #expect(manager.securityPolicy !== policy)
            throw error
        }
    }

    @Test func validSecureNoPinningSecurityPolicy() throws {
        try set(.none, base: "https://example.com")
    }

    @Test func validInsecureNoPinningSecurityPolicy() throws {
        try set(.none, base: "http://example.com")
    }

    @Test func validCertificatePinningSecurityPolicy() throws {
        try set(.certificate, base: "https://example.com")
    }

    @Test func invalidCertificatePinningSecurityPolicy() {
        #expect(throws: SessionError.pinningWithoutHTTPS) {
            try set(.certificate, base: "http://example.com")
        }
    }

    @Test func validPublicKeyPinningSecurityPolicy() throws {
        try set(.publicKey, base: "https://example.com")
    }

    @Test func invalidPublicKeyPinningSecurityPolicy() {
        #expect(throws: SessionError.pinningWithoutHTTPS) {
            try set(.publicKey, base: "http://example.com")
        }
    }

    @Test func invalidCertificatePinningSecurityPolicyWithoutBaseURL() {
        #expect(throws: SessionError.pinningWithoutHTTPS) { try set(.certificate, base: nil) }
    }

    @Test func invalidPublicKeyPinningSecurityPolicyWithoutBaseURL() {
        #expect(throws: SessionError.pinningWithoutHTTPS) { try set(.publicKey, base: nil) }
    }

    // MARK: Server trust

    /// What a GET under a pinned policy fails with; no server must hear of it.
    private func failure(_ mode: SecurityPolicy.PinningMode) async throws -> NSError? {
        let server = LoopbackServer()
        try server.start()
        defer { server.stop() }
        let port = try #require(server.baseURL.port)
        let manager = HTTPSessionManager(baseURL: URL(string: "https://127.0.0.1:\(port)/"))
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        try manager.setSecurityPolicy(SecurityPolicy(pinningMode: mode))
        let error: NSError? = await outcome { finish in
            manager.get(
                "", success: { _, _ in finish(nil) }, failure: { finish($1 as NSError) })
        }
        #expect(server.statistics.connectionsAccepted == 0)
        return error
    }

    @Test func invalidServerTrustProducesCorrectErrorForCertificatePinning() async throws {
        let error = try await failure(.certificate)
        #expect(error?.domain == SessionError.errorDomain)
        #expect(error?.code == 2)
        #expect(error?.localizedDescription.contains("cannot be honoured") == true)
    }

    @Test func invalidServerTrustProducesCorrectErrorForPublicKeyPinning() async throws {
        let error = try await failure(.publicKey)
        #expect(error?.domain == SessionError.errorDomain)
        #expect(error?.code == 2)
        #expect(error?.localizedDescription.contains("cannot be honoured") == true)
    }

    // MARK: Copies and archives

    private let manager = HTTPSessionManager(baseURL: URL(string: "https://example.com/base"))

    private func archived() throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: manager, requiringSecureCoding: true)
    }

    @Test func supportsSecureCoding() {
        #expect(HTTPSessionManager.supportsSecureCoding)
    }

    @Test func canBeEncoded() throws {
        #expect(try !archived().isEmpty)
    }

    @Test func canBeDecoded() throws {
        try manager.setSecurityPolicy(SecurityPolicy(pinningMode: .publicKey))
        manager.requestSerializer = JSONRequestSerializer()
        manager.responseSerializer = PropertyListResponseSerializer()
        let archive = try NSKeyedUnarchiver(forReadingFrom: archived())
        archive.requiresSecureCoding = true
        let decoded = try #require(
            archive.decodeObject(
                of: HTTPSessionManager.self, forKey: NSKeyedArchiveRootObjectKey))
        defer { decoded.invalidateSessionCancelingTasks(true, resetSession: false) }
        #expect(decoded.securityPolicy.pinningMode == .publicKey)
        #expect(decoded.requestSerializer is JSONRequestSerializer)
        #expect(decoded.responseSerializer is PropertyListResponseSerializer)
        #expect(decoded.baseURL?.absoluteString == "https://example.com/base/")
        #expect(decoded.session.configuration.timeoutIntervalForRequest == 60)
    }

    @Test func canBeCopied() throws {
        let copy = try #require(manager.copy() as? HTTPSessionManager)
        #expect(copy !== manager)
        #expect(copy.baseURL == manager.baseURL)
    }
}
