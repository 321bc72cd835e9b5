import Alamofire
@testable import OldAlamofire
import TestSupport

@Suite("Old programs: trust and reachability", .timeLimit(.minutes(2)))
struct AlamofireSecurityTests {
    private func status(_ manager: SessionManager, _ url: String) async -> Int? {
        await answer { finish in
            manager.request(url).response { finish($0.response?.statusCode) }
        }
    }

    @Test
    func `the other policies, and a manager for a whole domain`() async throws {
        let identity = try TLSIdentity(.loopback)
        let world = TestWorld(programs: .httpbin, tls: TLSSettings(identity))
        let asked = Log<String>()
        for policy in otherPolicies({ asked.add($0) }) {
            let manager = SessionManager(
                configuration: .ephemeral,
                serverTrustPolicyManager: ServerTrustPolicyManager(
                    policies: ["127.0.0.1": policy]))
            #expect(await status(manager, world.address("/get")) == nil)
        }
        #expect(asked.all == ["127.0.0.1"])
        #expect(world.server.requests.isEmpty)
        let policies = DomainPolicies(policies: [:])
        #expect(policies.serverTrustPolicy(forHost: "a.example.com") != nil)
        #expect(policies.serverTrustPolicy(forHost: "a.example.org") == nil)
        #expect(readPin(world.folder) == nil)
        #expect(SecCertificateCreateWithData(nil, Data() as CFData) == nil)
    }

    @Test
    func `an authority of one's own is set as anchor, and the trust is evaluated by the old calls`()
        async throws
    {
        let identity = try TLSIdentity(.loopback)
        let world = TestWorld(programs: .httpbin, tls: TLSSettings(identity))
        let root = try #require(SecCertificateCreateWithData(nil, identity.der as CFData))
        let stranger = try #require(
            SecCertificateCreateWithData(nil, try TLSIdentity(.loopback).der as CFData))
        let url = world.address("/get")
        #expect(await status(OwnAuthority([root]).sessionManager, url) == 200)
        #expect(await status(OwnAuthority([stranger]).sessionManager, url) == nil)
        #expect(await status(OwnAuthority([root], host: "a.test").sessionManager, url) == nil)
        #expect(await status(OwnAuthority([root], host: nil).sessionManager, url) == 200)
        #expect(await status(byCustomEvaluation(of: [root], host: "127.0.0.1"), url) == 200)
        #expect(await status(byCustomEvaluation(of: [stranger], host: "127.0.0.1"), url) == nil)
        #expect(world.server.requests.count == 3)
        let own = try #require(trust(of: [root]))
        #expect(SecTrustCopyPublicKey(own) == SecCertificateCopyKey(root))
        var result = SecTrustResultType.invalid
        #expect(SecTrustEvaluate(own, &result) == errSecSuccess)
        #expect(result == .recoverableTrustFailure, "The system does not know it.")
        SecTrustSetAnchorCertificates(own, [stranger] as CFArray)
        SecTrustSetAnchorCertificatesOnly(own, false)
        #expect(!SecTrustEvaluateWithError(own, nil))
        SecTrustSetAnchorCertificates(own, [root] as CFArray)
        #expect(SecTrustEvaluateWithError(own, nil))
        #expect(
            ServerTrustPolicy.performDefaultEvaluation(validateHost: false).evaluate(
                own, forHost: "b.test"))
        #expect(SecTrustSetPolicies(own, "none") == errSecParam)
        #expect(SecTrustSetAnchorCertificates(own, ["none"] as CFArray) == errSecParam)
    }

    @Test
    func `flags about revocation choose whether a server is accepted that no list is about`()
        throws
    {
        let identity = try TLSIdentity(.loopback)
        let root = try #require(SecCertificateCreateWithData(nil, identity.der as CFData))
        let own = try #require(trust(of: [root]))
        func accepts(_ flags: CFOptionFlags, host: String = "127.0.0.1") -> Bool {
            revokedEvaluation(flags).evaluate(own, forHost: host)
        }
        #expect(!accepts(kSecRevocationUseAnyAvailableMethod), "The system does not know it.")
        SecTrustSetAnchorCertificates(own, [root] as CFArray)
        #expect(accepts(kSecRevocationUseAnyAvailableMethod))
        #expect(accepts(kSecRevocationCRLMethod | kSecRevocationNetworkAccessDisabled))
        #expect(!accepts(kSecRevocationUseAnyAvailableMethod, host: "a.test"))
        #expect(!accepts(kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse))
    }

    @Test
    func `a server of one's own is trusted by the old lines`() async throws {
        let identity = try TLSIdentity(.loopback)
        let world = TestWorld(programs: .httpbin, tls: TLSSettings(identity))
        let development = DevelopmentTrust()
        #expect(await status(development.sessionManager, world.address("/get")) == 200)
        #expect(development.certificates == [identity.der])
        let lenient = SessionManager(configuration: .ephemeral, delegate: LenientDelegate())
        #expect(await status(lenient, world.address("/get")) == 200)
        #expect(
            await status(SessionManager(configuration: .ephemeral), world.address("/get")) == nil)
        #expect(world.server.requests.count == 2)
    }
}
