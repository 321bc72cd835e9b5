import HTTPSemantics
import OperationNetworking
import TLSPeer
import TestSupport

@testable import SessionEra

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

    /// What a GET to a server fails with whose certificate is no pin; no request reaches it.
    private func failure(_ mode: SecurityPolicy.PinningMode) async throws -> NSError? {
        let cast = try Cast()
        let server = try TLSServer(cast.settings)
        let manager = HTTPSessionManager(baseURL: try server.url("localhost"))
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        let policy = try SecurityPolicy.pinning(mode, to: [try Cast().root.certificate])
        policy.anchorCertificates = [cast.root.certificate]
        try manager.setSecurityPolicy(policy)
        let error: NSError? = await outcome { finish in
            manager.get(
                "", success: { _, _ in finish(nil) }, failure: { finish($1 as NSError) })
        }
        #expect(server.stop().requests.isEmpty)
        #expect((error?.userInfo[NSURLErrorFailingURLPeerTrustErrorKey] as? ServerTrust) != nil)
        #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == manager.baseURL)
        return error
    }

    @Test func invalidServerTrustProducesCorrectErrorForCertificatePinning() async throws {
        let error = try await failure(.certificate)
        #expect(error?.domain == NSURLErrorDomain)
        #expect(error?.code == URLError.Code.serverCertificateUntrusted.rawValue)
    }

    @Test func invalidServerTrustProducesCorrectErrorForPublicKeyPinning() async throws {
        let error = try await failure(.publicKey)
        #expect(error?.domain == NSURLErrorDomain)
        #expect(error?.code == URLError.Code.serverCertificateUntrusted.rawValue)
    }

    // MARK: The error of a refused server

    private func check(_ trust: ServerTrust?, _ url: URL?) {
        let error = ServerTrustError.error(trust, url)
        let info = error.errorUserInfo
        #expect(error.code == .serverCertificateUntrusted)
        let found = info[NSURLErrorFailingURLPeerTrustErrorKey] as? ServerTrust
        #expect(found?.certificates == trust?.certificates)
        #expect(info[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(info["NSErrorFailingURLStringKey"] as? String == url?.absoluteString)
        #expect(error.localizedDescription.contains("certificate for this server is invalid"))
        let name = url?.host() ?? trust?.host ?? ""
        #expect(error.localizedDescription.contains("\u{201C}\(name)\u{201D}"))
    }

    private let url = URL(string: "https://example.com/")

    @Test func serverTrustErrorIsCreatedWithProperUserInfoWithAllParameters() throws {
        let cast = try Cast()
        check(cast.trust(cast.good), url)
    }

    @Test func serverTrustErrorIsCreatedWithProperUserInfoWhenTrustIsNil() {
        check(nil, url)
    }

    @Test func serverTrustErrorIsCreatedWithProperUserInfoWhenURLIsNil() throws {
        let cast = try Cast()
        check(cast.trust(cast.good), nil)
    }

    @Test func serverTrustErrorIsCreatedWithProperUserInfoAllParametersAreNil() {
        check(nil, nil)
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
