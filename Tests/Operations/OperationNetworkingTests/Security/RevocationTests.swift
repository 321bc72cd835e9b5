import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

@Suite("Certificates that were taken back", .timeLimit(.minutes(1)))
struct RevocationTests {
    private let cast: Cast
    private let leaf: Identity

    init() throws {
        cast = try Cast()
        leaf = try cast.leaf { _ in }
    }

    private func policy(_ lists: CertificateRevocationList...) -> SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [cast.root.certificate]
        policy.certificateRevocationLists = lists
        return policy
    }

    private func isAccepted(_ identity: Identity, _ lists: CertificateRevocationList...) -> Bool {
        let policy = policy()
        policy.certificateRevocationLists = lists
        return policy.evaluate(cast.trust(identity), forDomain: "localhost")
    }

    @Test func `R46, a listed certificate is refused, and without a list nobody looks`() throws {
        let list = try cast.middle.revocationList(of: [leaf.certificate])
        #expect(isAccepted(leaf))
        #expect(isAccepted(cast.good, list))
        #expect(!isAccepted(leaf, list))
        let verdict = policy(list).explain(cast.trust(leaf), forDomain: "localhost")
        #expect(verdict.reasons.contains { $0.isObjection && $0.sentence.contains("revoked") })
    }

    @Test func `with lists, the server's own must be covered by a current one that is signed`()
        throws
    {
        let root = try cast.root.revocationList()
        let stranger = try Identity(.authority("test intermediate"))
        #expect(!isAccepted(leaf, root))
        #expect(isAccepted(leaf, root, try cast.middle.revocationList()))
        #expect(!isAccepted(leaf, try cast.middle.revocationList(end: -60)))
        #expect(!isAccepted(leaf, try cast.middle.revocationList(start: 3_600)))
        #expect(!isAccepted(leaf, try stranger.revocationList()))
    }

    @Test func `an authority that was taken back is refused, and one without a list is not`() throws
    {
        let middle = try cast.middle.revocationList()
        #expect(isAccepted(leaf, middle))
        #expect(
            !isAccepted(leaf, middle, try cast.root.revocationList(of: [cast.middle.certificate])))
    }

    @Test func `an intermediate that is the anchor needs no list`() throws {
        let policy = policy(try cast.middle.revocationList(), try cast.root.revocationList())
        policy.anchorCertificates = [cast.middle.certificate]
        #expect(policy.evaluate(cast.trust(leaf), forDomain: "localhost"))
    }

    @Test func `no switch and no pin makes up for it`() throws {
        let list = try cast.middle.revocationList(of: [leaf.certificate])
        for mode in [SecurityPolicy.PinningMode.none, .publicKey, .certificate] {
            let policy = SecurityPolicy(
                pinningMode: mode, pinnedCertificates: [leaf.certificate])
            policy.anchorCertificates = [cast.root.certificate]
            policy.allowInvalidCertificates = true
            policy.validatesDomainName = false
            #expect(policy.evaluate(cast.trust(leaf), forDomain: "localhost"))
            policy.certificateRevocationLists = [list]
            #expect(!policy.evaluate(cast.trust(leaf), forDomain: "localhost"))
            // The list tells even when the way to the anchor is missing
            let alone = ServerTrust(host: "localhost", certificates: [leaf.certificate])
            #expect(!policy.evaluate(alone, forDomain: "localhost"))
        }
    }

    @Test func `a list is judged for the policy's time`() throws {
        let policy = policy(try cast.middle.revocationList())
        #expect(policy.evaluate(cast.trust(leaf), forDomain: "localhost"))
        policy.verificationTime = Date(timeIntervalSinceNow: -7_200)
        #expect(!policy.evaluate(cast.trust(leaf), forDomain: "localhost"))
    }

    @Test func `DER and PEM give equal lists, and anything else is refused by name`() throws {
        let list = try cast.middle.revocationList(of: [leaf.certificate])
        let ofRoot = try cast.root.revocationList()
        #expect(try CertificateRevocationList(der: list.der) == list)
        #expect(try CertificateRevocationList.all(pem: pem(list) + pem(ofRoot)) == [list, ofRoot])
        #expect(list != ofRoot)
        #expect(try #require(list.nextUpdate) > Date())
        let other = leaf.certificate.der
        for bytes in [Data(), Data("x".utf8), list.der.dropLast(), list.der + [0], other] {
            #expect(throws: CertificateError.notARevocationList) {
                try CertificateRevocationList(der: bytes)
            }
        }
        for text in [Data(), leaf.certificate.der.asPEM, pem(list).dropLast(40)] {
            #expect(throws: CertificateError.notARevocationList) {
                try CertificateRevocationList.all(pem: text)
            }
        }
    }

    private func pem(_ list: CertificateRevocationList) -> Data {
        let text = list.der.base64EncodedString(options: [
            .lineLength64Characters, .endLineWithLineFeed,
        ])
        return Data("-----BEGIN X509 CRL-----\n\(text)\n-----END X509 CRL-----\n".utf8)
    }
}
