import CurlConnection
import Foundation
import TLSPeer

/// The certificates of `Tests/Shared/Peers/certs.py`, and some more, as recipes: how each is made, the
/// host that is asked for, and what a strict client makes of it. Nothing is stored, so nothing
/// expires.
struct CertificateRecipe: Sendable, CustomStringConvertible {
    /// The name of the script's certificate and, in capitals, of the port that shows it.
    let name: String
    let host: String
    /// Nil for a certificate that is accepted.
    let refusal: Refusal?
    let make: @Sendable (Authorities) throws -> [Identity]

    enum Refusal: Sendable {
        case chain, unknownRoot, expired, notYetValid, name

        var code: URLError.Code {
            switch self {
            case .chain, .name: .serverCertificateUntrusted
            case .unknownRoot: .serverCertificateHasUnknownRoot
            case .expired: .serverCertificateHasBadDate
            case .notYetValid: .serverCertificateNotYetValid
            }
        }
    }

    var description: String { name }

    init(
        _ name: String, _ host: String, _ refusal: Refusal? = nil,
        _ make: @escaping @Sendable (Authorities) throws -> [Identity]
    ) {
        self.name = name
        self.host = host
        self.refusal = refusal
        self.make = make
    }

    /// A leaf of the common intermediate, sent with it.
    init(
        _ name: String, _ host: String, _ refusal: Refusal? = nil, names: String? = Self.local,
        _ change: @escaping @Sendable (inout Identity.Form) -> Void = { _ in }
    ) {
        self.init(name, host, refusal) { authorities in
            [try authorities.leaf(names: names, change), authorities.middle]
        }
    }

    static let local = "DNS:localhost,DNS:good.localhost,IP:127.0.0.1,IP:127.0.0.2,IP:::1"

    /// Whoever signs.
    struct Authorities: Sendable {
        let root: Identity
        let other: Identity
        let middle: Identity
        let expired: Identity
        let constrained: Identity
        let good: Identity

        init() throws {
            root = try Identity(.authority("root"))
            other = try Identity(.authority("root that nobody trusts"))
            middle = try authority("intermediate", by: root) { $0.pathLength = 0 }
            expired = try authority("expired", by: root) {
                $0.start = -5_184_000
                $0.end = -2_592_000
            }
            constrained = try authority("constrained", by: root) {
                $0.others = [
                    (
                        "nameConstraints",
                        "critical,permitted;DNS:.allowed.localhost,"
                            + "permitted;IP:127.0.0.9/255.255.255.255"
                    )
                ]
            }
            good = try Identity(.init("good", names: local), signedBy: middle)
        }

        func leaf(
            names: String? = local, by issuer: Identity? = nil,
            _ change: (inout Identity.Form) -> Void = { _ in }
        ) throws -> Identity {
            var form = Identity.Form("leaf", names: names)
            change(&form)
            return try Identity(form, signedBy: issuer ?? middle)
        }
    }
}

/// An intermediate authority.
private func authority(
    _ name: String, by issuer: Identity, _ change: (inout Identity.Form) -> Void = { _ in }
) throws -> Identity {
    var form = Identity.Form.authority(name)
    change(&form)
    return try Identity(form, signedBy: issuer)
}

extension CertificateRecipe {
    /// Accepted without a word.
    static let good: [CertificateRecipe] = [
        .init("good", "good.localhost") { [$0.good, $0.middle] },
        .init("good-rsa", "localhost") { $0.rsaBits = 2_048 },
        .init("wildcard", "a.wild.localhost", names: "DNS:*.wild.localhost"),
        .init("constrained-ok", "a.allowed.localhost") {
            [try $0.leaf(names: "DNS:a.allowed.localhost", by: $0.constrained), $0.constrained]
        },
        .init("good-renewed", "good.localhost") { authorities in
            [try authorities.leaf { $0.key = authorities.good }, authorities.middle]
        },
        .init("good-rekeyed", "good.localhost"),
    ]

    /// Revoked, which only a client with the authority's list can tell.
    static let revoked = CertificateRecipe("revoked", "localhost")

    static let bad: [CertificateRecipe] = chains + names

    private static let chains: [CertificateRecipe] = [
        .init("expired", "localhost", .expired) { $0.end = -86_400 },
        .init("not-yet", "localhost", .notYetValid) { $0.start = 86_400 },
        .init("self-signed", "localhost", .unknownRoot) { _ in
            [try Identity(.init("localhost", names: local))]
        },
        .init("untrusted", "localhost", .unknownRoot) { [try $0.leaf(by: $0.other)] },
        .init("untrusted-with-root", "localhost", .unknownRoot) {
            [try $0.leaf(by: $0.other), $0.other]
        },
        .init("incomplete", "localhost", .unknownRoot) { [try $0.leaf()] },
        .init("wrong-intermediate", "localhost", .unknownRoot) {
            [try $0.leaf(), $0.constrained]
        },
        .init("int-expired-leaf", "localhost", .expired) {
            [try $0.leaf(by: $0.expired), $0.expired]
        },
        .init("constrained-bad", "localhost", .chain) {
            [try $0.leaf(names: "DNS:localhost", by: $0.constrained), $0.constrained]
        },
        .init("client-eku", "localhost", .chain) { $0.usage = "clientAuth" },
        .init("weak-key", "localhost", .chain) { $0.rsaBits = 1_024 },
        .init("weak-key-512", "localhost", .chain) { $0.rsaBits = 512 },
        .init("sha1", "localhost", .chain) { $0.usesSHA1 = true },
        .init("leaf-as-ca", "localhost", .chain) {
            [try $0.leaf(by: $0.good), $0.good, $0.middle]
        },
    ]

    private static let names: [CertificateRecipe] = [
        .init("wrong-host", "localhost", .name, names: "DNS:other.invalid"),
        .init("cn-only", "localhost", .name, names: nil) { $0.commonName = "localhost" },
        .init("cn-decoy", "localhost", .name, names: "DNS:other.invalid") {
            $0.commonName = "localhost"
        },
        .init("ip-as-dns", "127.0.0.1", .name, names: "DNS:127.0.0.1"),
        .init("ip-only", "localhost", .name, names: "IP:127.0.0.1"),
        .init("ip-other", "127.0.0.1", .name, names: "IP:127.0.0.3"),
        .init("wildcard-deep", "a.b.wild.localhost", .name, names: "DNS:*.wild.localhost"),
        .init("wildcard-bare", "wild.localhost", .name, names: "DNS:*.wild.localhost"),
        .init("wildcard-tld", "good.localhost", .name, names: "DNS:*.localhost"),
        .init("wildcard-all", "localhost", .name, names: "DNS:*"),
        .init("wildcard-part", "foo.wild.localhost", .name, names: "DNS:f*.wild.localhost"),
        .init("wildcard-mid", "a.wild.localhost", .name, names: "DNS:a.*.localhost"),
        .init("wildcard-ip", "127.0.0.1", .name, names: "DNS:*.0.0.1"),
        .init("trailing-dot", "localhost", .name, names: "DNS:localhost."),
        .init("null-san", "localhost", .name, names: nil) {
            $0.others = [("subjectAltName", bytes(ofName: decoy))]
        },
        .init("null-cn", "localhost", .name, names: nil) { $0.commonName = decoy },
    ]

    private static let decoy = "localhost\0.evil.invalid"

    /// A subjectAltName of one DNS name in DER, for a name that OpenSSL's text form cannot spell.
    private static func bytes(ofName name: String) -> String {
        let name = Array(name.utf8)
        let bytes = [0x30, UInt8(name.count + 2), 0x82, UInt8(name.count)] + name
        return "DER:" + bytes.map { String(format: "%02x", $0) }.joined()
    }

    /// What the script has no certificate for.
    static let further: [CertificateRecipe] = [
        .init("wildcard under a private suffix", "a.github.io", names: "DNS:*.github.io"),
        .init("wildcard under a registry", "example.co.uk", .name, names: "DNS:*.co.uk"),
        .init(
            "the name beside a wildcard", "example.co.uk",
            names: "DNS:*.co.uk,DNS:example.co.uk"),
        .init("path too long", "localhost", .chain) {
            let lower = try authority("lower", by: $0.middle)
            return [try $0.leaf(by: lower), lower, $0.middle]
        },
        .init("authority for clients", "localhost", .chain) {
            let lower = try authority("clients", by: $0.root) { $0.usage = "clientAuth" }
            return [try $0.leaf(by: lower), lower]
        },
        .init("address outside the constraints", "127.0.0.1", .chain) {
            let names = "DNS:a.allowed.localhost,IP:127.0.0.1"
            return [try $0.leaf(names: names, by: $0.constrained), $0.constrained]
        },
        .init("unknown critical extension", "localhost", .chain) {
            $0.others = [("nsComment", "critical,DER:0500")]
        },
    ]
}
