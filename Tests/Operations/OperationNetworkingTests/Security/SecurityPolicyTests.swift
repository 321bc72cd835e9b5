import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

/// SP-11 among others.
@Suite("A security policy", .timeLimit(.minutes(5)))
struct SecurityPolicyTests {
    private let cast: Cast
    private let policy: SecurityPolicy

    init() throws {
        cast = try Cast()
        policy = SecurityPolicy.default()
        policy.anchorCertificates = [cast.root.certificate]
    }

    private func pinned(
        _ mode: SecurityPolicy.PinningMode, _ pins: [Certificate]
    ) -> SecurityPolicy {
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: pins)
        policy.anchorCertificates = [cast.root.certificate]
        return policy
    }

    @Test func `the default checks everything and pins nothing`() {
        let policy = SecurityPolicy.default()
        #expect(policy.pinningMode == .none)
        #expect(policy.pinnedCertificates.isEmpty)
        #expect(!policy.allowInvalidCertificates)
        #expect(policy.validatesDomainName)
        #expect(policy.anchorCertificates == nil)
        #expect(policy.verificationTime == nil)
        #expect(SecurityPolicy.default() !== policy)
    }

    @Test func `the default trusts the system's anchors, so not ours`() {
        #expect(!SecurityPolicy.default().evaluate(cast.trust(cast.good), forDomain: "localhost"))
        #expect(policy.evaluate(cast.trust(cast.good), forDomain: "localhost"))
    }

    @Test func `no domain, no name check, everything else is checked`() throws {
        let elsewhere = try cast.leaf { $0.names = "DNS:b.test" }
        let expired = try cast.leaf { $0.end = -60 }
        #expect(policy.evaluate(cast.trust(elsewhere), forDomain: nil))
        #expect(!policy.evaluate(cast.trust(elsewhere), forDomain: "localhost"))
        #expect(!policy.evaluate(cast.trust(expired), forDomain: nil))
    }

    @Test func `no certificate is never accepted, whatever is switched off`() {
        for mode in [SecurityPolicy.PinningMode.none, .publicKey, .certificate] {
            let policy = pinned(mode, [cast.good.certificate])
            policy.allowInvalidCertificates = true
            policy.validatesDomainName = false
            let empty = ServerTrust(host: "localhost", certificates: [])
            #expect(!policy.evaluate(empty, forDomain: nil))
            #expect(!policy.evaluate(empty, forDomain: "localhost"))
        }
    }

    @Test func `pinning without pins refuses everything and says so`() {
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            for allows in [false, true] {
                let policy = pinned(mode, [])
                policy.allowInvalidCertificates = allows
                let verdict = policy.explain(cast.trust(cast.good), forDomain: "localhost")
                #expect(!verdict.isAccepted)
                #expect(
                    verdict.reasons.contains {
                        $0.kind == .pin && $0.isObjection && $0.sentence.contains("there is no pin")
                    })
            }
        }
    }

    @Test func `any one pin of the chain suffices, alone or among others`() throws {
        let stranger = try Identity(.init("stranger")).certificate
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            for part in [cast.good, cast.middle, cast.root] {
                for pins in [[part.certificate], [stranger, part.certificate, part.certificate]] {
                    let policy = pinned(mode, pins)
                    #expect(policy.evaluate(cast.trust(cast.good), forDomain: "localhost"))
                }
            }
            let trust = cast.trust(cast.good)
            #expect(!pinned(mode, [stranger]).evaluate(trust, forDomain: "localhost"))
        }
    }

    @Test func `a pin that was only sent along does not count`() throws {
        let attacker = try cast.leaf { _ in }
        let trust = ServerTrust(
            host: "localhost",
            certificates: [attacker, cast.middle, cast.good].map(\.certificate))
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            for allows in [false, true] {
                let policy = pinned(mode, [cast.good.certificate])
                policy.allowInvalidCertificates = allows
                #expect(!policy.evaluate(trust, forDomain: "localhost"))
            }
        }
    }

    @Test func `a stranger under the pinned intermediate's name vouches for nobody`() throws {
        // Given the stranger's leaf, and the intermediate's name and public key in a certificate of
        // the stranger's own, to which the key pin applies
        let stranger = try Identity(.authority("test intermediate"))
        let leaf = try Identity(.init("x", names: Cast.names), signedBy: stranger)
        var copied = Identity.Form.authority("test intermediate")
        copied.key = cast.middle
        let copy = try Identity(copied, signedBy: stranger)
        let policy = pinned(.publicKey, [cast.middle.certificate])
        policy.allowInvalidCertificates = true
        for chain in [[leaf, copy], [leaf, copy, cast.middle], [leaf, stranger, copy]] {
            let trust = ServerTrust(
                host: "localhost", certificates: chain.map(\.certificate))
            #expect(!policy.evaluate(trust, forDomain: "localhost"))
        }
        #expect(policy.evaluate(cast.trust(cast.good), forDomain: "localhost"))
    }

    @Test func `the subject names a host only for invalid chains that are allowed (SP-12)`() throws
    {
        let own = try Identity(.init("foobar.com"))
        let trust = ServerTrust(host: "foobar.com", certificates: [own.certificate])
        let policy = pinned(.publicKey, [own.certificate])
        policy.allowInvalidCertificates = true
        #expect(policy.evaluate(trust, forDomain: "foobar.com"))
        #expect(!policy.evaluate(trust, forDomain: "other.com"))
        let signed = try cast.leaf {
            $0.names = nil
            $0.commonName = "foobar.com"
        }
        #expect(!self.policy.evaluate(cast.trust(signed), forDomain: "foobar.com"))
    }

    @Test func `dates are judged for the policy's time`() throws {
        let expired = cast.trust(try cast.leaf { $0.end = -3_600 })
        #expect(!policy.evaluate(expired, forDomain: "localhost"))
        policy.verificationTime = Date(timeIntervalSinceNow: -7_200)
        #expect(policy.evaluate(expired, forDomain: "localhost"))
        policy.verificationTime = Date(timeIntervalSinceNow: 10_000_000)
        #expect(!policy.evaluate(cast.trust(cast.good), forDomain: "localhost"))
    }

    @Test func `a verdict gives every reason`() throws {
        let bad = try cast.leaf {
            $0.end = -60
            $0.names = "DNS:b.test"
        }
        let policy = pinned(.publicKey, [cast.good.certificate])
        let verdict = policy.explain(cast.trust(bad), forDomain: "localhost")
        #expect(!verdict.isAccepted)
        let objections = verdict.reasons.filter(\.isObjection).map(\.kind)
        #expect(Set(objections) == [.time, .host, .pin])
        #expect(verdict.description.hasPrefix("refused\n"))
        #expect(verdict.reasons.allSatisfy { $0.sentence.hasSuffix(".") })
        #expect(TrustVerdict.Reason.Kind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])

        let good = self.policy.explain(cast.trust(cast.good), forDomain: "localhost")
        #expect(good.isAccepted)
        #expect(good.reasons.map(\.kind) == [.chain, .host])
    }

    @Test func `a verdict names what was passed over`() throws {
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        let verdict = policy.explain(
            cast.trust(try cast.leaf { $0.end = -60 }), forDomain: "elsewhere")
        #expect(verdict.isAccepted)
        #expect(verdict.reasons.map(\.kind) == [.override, .override])
        #expect(verdict.description.contains("expired"))
    }

    @Test func `eight threads may judge while two change`() throws {
        let good = cast.trust(cast.good)
        let pins = [cast.good.certificate]
        let policy = pinned(.certificate, pins)
        DispatchQueue.concurrentPerform(iterations: 100) { turn in
            if turn.isMultiple(of: 5) {
                policy.pinnedCertificates = turn.isMultiple(of: 2) ? pins : pins + pins
            } else {
                #expect(policy.evaluate(good, forDomain: "localhost"))
            }
        }
    }
}
