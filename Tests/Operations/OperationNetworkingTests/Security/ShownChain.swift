import CurlConnection
import TLSPeer

/// What a server shows, for the truth table. The pin is the certificate of the cast's `good` unless
/// the words say otherwise, and the cast's root is the anchor.
enum ShownChain: String, CaseIterable, Sendable {
    case valid, renewed, rekeyed, extraCertificates, pinAppended, incomplete
    case wrongHost, wrongHostSameKey, expired, expiredPinned, otherUse
    case unknownRoot, selfSigned, selfSignedPinned, brokenSignature

    /// The row's head in the documentation.
    var words: String {
        switch self {
        case .valid: "a valid chain with the pin"
        case .renewed: "a renewed certificate: the pin's key"
        case .rekeyed: "a re-keyed certificate: another key"
        case .extraCertificates: "the valid chain among extra certificates"
        case .pinAppended: "a re-keyed certificate, the pin sent along"
        case .incomplete: "the pin without its intermediate"
        case .wrongHost: "another host's certificate"
        case .wrongHostSameKey: "another host's certificate, the pin's key"
        case .expired: "an expired certificate"
        case .expiredPinned: "an expired certificate that is the pin"
        case .otherUse: "a client's certificate that is the pin"
        case .unknownRoot: "a chain to an unknown root"
        case .selfSigned: "a self-signed certificate"
        case .selfSignedPinned: "a self-signed certificate that is the pin"
        case .brokenSignature: "a forged chain under the pinned intermediate"
        }
    }

    /// - Returns: what the server sends, its own first, and the pin.
    func make(_ cast: Cast) throws -> ([Identity], pin: Certificate) {
        let pin = cast.good.certificate
        let localhost = Identity.Form("own", names: Cast.names)
        switch self {
        case .valid: return ([cast.good, cast.middle], pin)
        case .renewed: return ([try cast.leaf { $0.key = cast.good }, cast.middle], pin)
        case .rekeyed: return ([try cast.leaf { _ in }, cast.middle], pin)
        case .extraCertificates:
            let stranger = try Identity(.authority("stranger"))
            return ([cast.good, stranger, cast.root, cast.middle, stranger], pin)
        case .pinAppended: return ([try cast.leaf { _ in }, cast.middle, cast.good], pin)
        case .incomplete: return ([cast.good], pin)
        case .wrongHost: return ([try cast.leaf { $0.names = "DNS:b.test" }, cast.middle], pin)
        case .wrongHostSameKey:
            let leaf = try cast.leaf {
                $0.names = "DNS:b.test"
                $0.key = cast.good
            }
            return ([leaf, cast.middle], pin)
        case .expired: return ([try cast.leaf { $0.end = -60 }, cast.middle], pin)
        case .expiredPinned:
            let leaf = try cast.leaf { $0.end = -60 }
            return ([leaf, cast.middle], leaf.certificate)
        case .otherUse:
            let leaf = try cast.leaf { $0.usage = "clientAuth" }
            return ([leaf, cast.middle], leaf.certificate)
        case .unknownRoot:
            let root = try Identity(.authority("unknown"))
            return ([try Identity(localhost, signedBy: root), root], pin)
        case .selfSigned: return ([try Identity(localhost)], pin)
        case .selfSignedPinned:
            let own = try Identity(localhost)
            return ([own], own.certificate)
        case .brokenSignature:
            // Signed by a stranger who bears the intermediate's name; the pin is the real one
            let stranger = try Identity(.authority("test intermediate"))
            let leaf = try Identity(localhost, signedBy: stranger)
            return ([leaf, cast.middle], cast.middle.certificate)
        }
    }
}
