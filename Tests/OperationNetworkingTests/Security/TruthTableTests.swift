import CurlConnection
import Foundation
import OperationNetworking
import TLSPeer
import Testing

@Suite("Pinning mode × chain × two switches", .timeLimit(.minutes(5)))
struct TruthTableTests {
    /// What a server shows. The pin is the certificate of `good`, and the root is an anchor.
    enum Chain: String, CaseIterable, Sendable {
        case valid, renewed, rekeyed, extraCertificates, pinAppended, incomplete
        case wrongHost, wrongHostSameKey, expired, expiredPinned, otherUse
        case unknownRoot, selfSigned, selfSignedPinned, brokenSignature
    }

    /// One letter for each combination of the switches, in this order: none; allowing invalid
    /// chains; not looking at the name; both. `+` is accepted, `-` refused.
    static let table: [(Chain, none: String, publicKey: String, certificate: String)] = [
        (.valid, "++++", "++++", "++++"),
        (.renewed, "++++", "++++", "----"),
        (.rekeyed, "++++", "----", "----"),
        (.extraCertificates, "++++", "++++", "++++"),
        (.pinAppended, "++++", "----", "----"),
        (.incomplete, "-+-+", "-+-+", "-+-+"),
        (.wrongHost, "--++", "----", "----"),
        (.wrongHostSameKey, "--++", "--++", "----"),
        (.expired, "-+-+", "----", "----"),
        (.expiredPinned, "-+-+", "----", "----"),
        (.otherUse, "-+-+", "----", "----"),
        (.unknownRoot, "-+-+", "----", "----"),
        (.selfSigned, "-+-+", "----", "----"),
        (.selfSignedPinned, "-+-+", "-+-+", "-+-+"),
        (.brokenSignature, "-+-+", "----", "----"),
    ]

    @Test func `every combination is judged as the table says`() throws {
        #expect(Self.table.map(\.0) == Chain.allCases)
        let shown = try Shown()
        for (chain, none, publicKey, certificate) in Self.table {
            let (trust, pin) = try shown.make(chain)
            for (mode, expected) in [
                (SecurityPolicy.PinningMode.none, none), (.publicKey, publicKey),
                (.certificate, certificate),
            ] {
                let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: [pin])
                policy.anchorCertificates = [shown.cast.root.certificate]
                var letters = ""
                for (allows, validates) in [
                    (false, true), (true, true), (false, false), (true, false),
                ] {
                    policy.allowInvalidCertificates = allows
                    policy.validatesDomainName = validates
                    let verdict = policy.explain(trust, forDomain: "localhost")
                    #expect(verdict.isAccepted == policy.evaluate(trust, forDomain: "localhost"))
                    #expect(verdict.isAccepted != verdict.reasons.contains(where: \.isObjection))
                    letters += verdict.isAccepted ? "+" : "-"
                }
                #expect(letters == expected, "\(chain), \(mode)")
            }
        }
    }

    /// Makes the chains.
    private struct Shown {
        let cast: Cast

        init() throws {
            cast = try Cast()
        }

        func make(_ chain: Chain) throws -> (ServerTrust, pin: Certificate) {
            let pin = cast.good.certificate
            switch chain {
            case .valid: return (cast.trust(cast.good), pin)
            case .renewed: return (cast.trust(try cast.leaf { $0.key = cast.good }), pin)
            case .rekeyed: return (cast.trust(try cast.leaf { _ in }), pin)
            case .extraCertificates:
                let stranger = try Identity(.authority("stranger"))
                return (trust(cast.good, stranger, cast.root, cast.middle, stranger), pin)
            case .pinAppended:
                return (trust(try cast.leaf { _ in }, cast.middle, cast.good), pin)
            case .incomplete: return (trust(cast.good), pin)
            case .wrongHost:
                return (cast.trust(try cast.leaf { $0.names = "DNS:b.test" }), pin)
            case .wrongHostSameKey:
                return (
                    cast.trust(
                        try cast.leaf {
                            $0.names = "DNS:b.test"
                            $0.key = cast.good
                        }), pin
                )
            case .expired: return (cast.trust(try cast.leaf { $0.end = -60 }), pin)
            case .expiredPinned:
                let leaf = try cast.leaf { $0.end = -60 }
                return (cast.trust(leaf), leaf.certificate)
            case .otherUse:
                let leaf = try cast.leaf { $0.usage = "clientAuth" }
                return (cast.trust(leaf), leaf.certificate)
            case .unknownRoot:
                let root = try Identity(.authority("unknown"))
                return (trust(try Identity(localhost, signedBy: root), root), pin)
            case .selfSigned: return (trust(try Identity(localhost)), pin)
            case .selfSignedPinned:
                let own = try Identity(localhost)
                return (trust(own), own.certificate)
            case .brokenSignature:
                // Signed by a stranger who bears the intermediate's name; the pin is the real one
                let stranger = try Identity(.authority("test intermediate"))
                let leaf = try Identity(localhost, signedBy: stranger)
                return (trust(leaf, cast.middle), cast.middle.certificate)
            }
        }

        private var localhost: Identity.Form { .init("own", names: Cast.names) }

        private func trust(_ identities: Identity...) -> ServerTrust {
            ServerTrust(host: "localhost", certificates: identities.map(\.certificate))
        }
    }
}
