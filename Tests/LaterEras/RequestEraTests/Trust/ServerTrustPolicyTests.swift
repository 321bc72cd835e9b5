import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

@testable import RequestEra

/// What AL-32 says beyond the original's tests, and what is refused here in its place.
@Suite("Server trust policies", .timeLimit(.minutes(5)))
struct ServerTrustPolicyTests {
    private let cast: TrustCast
    private var anchors: [Certificate] { [cast.root.certificate] }

    init() throws {
        cast = try TrustCast()
    }

    private func pins(
        _ certificates: [Certificate], chain: Bool, host: Bool = false
    ) -> [ServerTrustPolicy] {
        [
            .pinCertificates(
                certificates: certificates, validateCertificateChain: chain, validateHost: host),
            .pinPublicKeys(
                publicKeys: certificates.map(PublicKey.init), validateCertificateChain: chain,
                validateHost: host),
        ]
    }

    private func accepts(
        _ policy: ServerTrustPolicy, _ trust: ServerTrust, host: String = TrustCast.host
    ) -> Bool {
        policy.evaluate(trust, forHost: host, anchors: anchors)
    }

    // MARK: Pins

    @Test func `without a pin nothing passes, whatever else is switched off`() {
        for chain in [true, false] {
            for policy in pins([], chain: chain) {
                #expect(!accepts(policy, cast.trust(.validDNSName)))
                #expect(throws: SecurityPolicyError.noPins) {
                    try policy.requirements.map { SecurityPolicy($0) }?.check()
                }
            }
        }
    }

    @Test func `a pinned certificate that is only sent along does not count`() throws {
        let attacker = try Identity(.init("x", names: "DNS:test.example.com"))
        let trust = cast.trust(
            [attacker.certificate, cast[.validDNSName], cast.ca2.certificate])
        for chain in [true, false] {
            for pin in [cast[.validDNSName], cast.ca2.certificate] {
                for policy in pins([pin], chain: chain) { #expect(!accepts(policy, trust)) }
            }
        }
    }

    @Test func `a stranger under the pinned authority's name vouches for nobody`() throws {
        let stranger = try Identity(.authority("authority 2"))
        var form = Identity.Form("x", names: "DNS:test.example.com")
        form.end = -60
        let leaf = try Identity(form, signedBy: stranger)
        for chain in [[leaf, cast.ca2], [leaf, stranger, cast.ca2]] {
            for policy in pins([cast.ca2.certificate], chain: false) {
                #expect(!accepts(policy, cast.trust(chain.map(\.certificate))))
            }
        }
    }

    @Test func `a certificate that signed itself passes as a pin without chain alone`() throws {
        let own = try Identity(.init("own", names: "DNS:test.example.com"))
        let trust = cast.trust([own.certificate])
        let policies = pins([own.certificate], chain: false, host: true)
        for policy in policies {
            #expect(accepts(policy, trust))
            // The original looks at no name then, though it was told to.
            #expect(!accepts(policy, trust, host: "other.example.com"))
        }
        for policy in pins([own.certificate], chain: false) {
            #expect(accepts(policy, trust, host: "other.example.com"))
        }
        // As an anchor of its own it passes, as a key beside the system's anchors it does not.
        #expect(pins([own.certificate], chain: true).map { accepts($0, trust) } == [true, false])
    }

    @Test func `a renewed certificate passes by its key and not by its bytes`() throws {
        var form = Identity.Form("name", names: "DNS:test.example.com")
        form.end = -60
        let old = try Identity(form, signedBy: cast.ca2)
        form.end = 3_600
        form.key = old
        let new = try Identity(form, signedBy: cast.ca2)
        let trust = cast.trust([new.certificate, cast.ca2.certificate])
        for chain in [true, false] {
            #expect(
                pins([old.certificate], chain: chain, host: true).map { accepts($0, trust) } == [
                    false, true,
                ])
        }
        #expect(PublicKey(old.certificate) == PublicKey(new.certificate))
        #expect(Set([old, new].map { PublicKey($0.certificate) }).count == 1)
    }

    @Test func `a file of authorities in PEM among the resources is no pin and no anchor`() throws {
        let folder = try ResourceFolder()
        let pin = cast[.signedByCA1]
        try folder.add("pin.cer", pin.der)
        try folder.add("authorities.crt", cast.root.certificate.der.asPEM)
        let found = ServerTrustPolicy.certificates(in: folder.bundle)
        #expect(found == [pin])
        #expect(ServerTrustPolicy.publicKeys(in: folder.bundle) == [PublicKey(pin)])
        for chain in [true, false] {
            for policy in pins(found, chain: chain) {
                #expect(accepts(policy, cast.trust(.signedByCA1)))
                #expect(!accepts(policy, cast.trust(.validDNSName)), "Its root is in the PEM file.")
            }
        }
    }

    // MARK: Revoked certificates

    @Test func `a revoked certificate fails, another of its authority passes`() throws {
        let list = try cast.ca2.revocationList(of: [cast[.validDNSName]])
        let policy = ServerTrustPolicy.performRevokedEvaluation(
            validateHost: false, revocationLists: [list])
        #expect(!accepts(policy, cast.trust(.validDNSName)))
        #expect(accepts(policy, cast.trust(.signedByCA2)))
    }

    @Test func `no list, an old one and another authority's refuse`() throws {
        let lists = [
            [], [try cast.ca2.revocationList(start: -7_200, end: -60)],
            [try cast.ca1.revocationList()],
        ]
        for lists in lists {
            let policy = ServerTrustPolicy.performRevokedEvaluation(
                validateHost: true, revocationLists: lists)
            #expect(!accepts(policy, cast.trust(.validDNSName)), "\(lists.count)")
        }
    }

    @Test(arguments: [true, false])
    func `without a list nobody looks, unless an answer is required`(isRequired: Bool) throws {
        func policy(_ lists: [CertificateRevocationList], host: Bool = false) -> ServerTrustPolicy {
            .lookingForRevoked(in: lists, validateHost: host, isAnswerRequired: isRequired)
        }
        #expect(accepts(policy([]), cast.trust(.validDNSName)) == !isRequired)
        #expect(accepts(policy([]), cast.trust(.missingDNSNameAndURI)) == !isRequired)
        #expect(!accepts(policy([], host: true), cast.trust(.missingDNSNameAndURI)))
        #expect(!accepts(policy([]), cast.trust(.expired)))
        let list = try cast.ca2.revocationList(of: [cast[.validDNSName]])
        #expect(!accepts(policy([list]), cast.trust(.validDNSName)))
        #expect(accepts(policy([list]), cast.trust(.signedByCA2)))
        let another = try cast.ca1.revocationList()
        #expect(!accepts(policy([another]), cast.trust(.validDNSName)))
    }

    @Test func `lists are read from resources, in DER and PEM`() throws {
        let folder = try ResourceFolder()
        let list = try cast.ca1.revocationList()
        try folder.add("a.crl", list.der)
        try folder.add("b.crl", Data("nothing".utf8))
        try folder.add("c.der", cast[.validURI].der)
        #expect(ServerTrustPolicy.revocationLists(in: folder.bundle) == [list])
        #expect(
            ServerTrustPolicy.publicKeys(in: folder.bundle) == [PublicKey(cast[.validURI])])
        let empty = try ResourceFolder()
        #expect(ServerTrustPolicy.revocationLists(in: empty.bundle).isEmpty)
        #expect(ServerTrustPolicy.certificates(in: empty.bundle).isEmpty)
    }

    // MARK: Before a byte is sent

    @Test func `no certificate is refused by every policy but the closure's`() {
        let nothing = cast.trust([])
        let policies =
            [.disableEvaluation, .performDefaultEvaluation(validateHost: false)]
            + pins([cast[.validDNSName]], chain: false)
        for policy in policies { #expect(!accepts(policy, nothing)) }
    }

    @Test func `the connection's policy judges as the policy does`() {
        let policies: [ServerTrustPolicy] =
            [.disableEvaluation, .performDefaultEvaluation(validateHost: true)]
            + [true, false].flatMap { pins([cast[.expired]], chain: $0, host: true) }
        for policy in policies {
            for leaf in TrustCast.Leaf.allCases {
                let trust = cast.trust(leaf)
                #expect(
                    policy.requirements.map {
                        SecurityPolicy($0).evaluate(trust, forDomain: TrustCast.host)
                    }
                        == policy.evaluate(trust, forHost: TrustCast.host))
            }
        }
        #expect(ServerTrustPolicy.customEvaluation { _, _ in true }.requirements == nil)
    }

    @Test
    func
        `anchors that are not the only ones count beside the system's, but not beside the policy's`()
        async
    {
        // The process's roots are read once.
        await #expect(processExitsWith: .success) {
            let cast = try TrustCast()
            let folder = TemporaryFolder()
            let roots = try folder.write("roots.pem", cast.root.certificate.der.asPEM)
            setenv("SSL_CERT_FILE", roots.path, 1)
            let stranger = try Identity(.authority("stranger")).certificate
            let trust = cast.trust(.validDNSName)
            func accepts(_ policy: ServerTrustPolicy, besideSystem: Bool) -> Bool {
                trust.terms.withLock {
                    $0.anchors = [stranger]
                    $0.includesSystem = besideSystem
                }
                return policy.evaluate(trust, forHost: TrustCast.host)
            }
            let system = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
            #expect(accepts(system, besideSystem: true))
            #expect(!accepts(system, besideSystem: false))
            for policy: ServerTrustPolicy in [
                .pinCertificates(
                    certificates: [stranger], validateCertificateChain: true, validateHost: true),
                .performRevokedEvaluation(validateHost: true, revocationLists: []),
            ] {
                #expect(!accepts(policy, besideSystem: true))
            }
            let asked = Locked(0)
            let closure = ServerTrustPolicy.customEvaluation { _, _ in
                asked.withLock { $0 += 1 }
                return false
            }
            #expect(!accepts(closure, besideSystem: true))
            #expect(asked.withLock { $0 } == 1, "It is asked once.")
        }
    }

    @Test func `the closure gets the certificates and the host`() {
        let seen = Log<String>()
        let policy = ServerTrustPolicy.customEvaluation { trust, host in
            seen.add("\(host) \(trust.certificates.count)")
            return true
        }
        #expect(policy.evaluate(cast.trust(.expired), forHost: "a.test"))
        #expect(seen.all == ["a.test 3"])
    }
}
