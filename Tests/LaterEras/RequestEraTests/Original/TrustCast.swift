import CurlConnection
import TLSPeer

/// The certificates of the original's trust tests, made anew: one root, two authorities below it, and
/// leaves of both for hosts of one domain.
struct TrustCast: Sendable {
    enum Leaf: CaseIterable, Sendable {
        case wildcard, multipleDNSNames, signedByCA1, dnsNameAndURI
        case expired, missingDNSNameAndURI, signedByCA2, validDNSName, validURI

        var isOfCA1: Bool {
            switch self {
            case .wildcard, .multipleDNSNames, .signedByCA1, .dnsNameAndURI: true
            default: false
            }
        }

        fileprivate var form: Identity.Form {
            switch self {
            case .wildcard: .init("wildcard", names: "DNS:*.example.com")
            case .multipleDNSNames:
                .init(
                    "several",
                    names: "DNS:test.example.com,DNS:blog.example.com,DNS:www.example.com")
            case .signedByCA1: .init("signed by 1")
            case .dnsNameAndURI:
                .init("both", names: "DNS:test.example.com,URI:https://test.example.com/")
            case .expired: .expired
            case .missingDNSNameAndURI: .init("neither")
            case .signedByCA2: .init("signed by 2")
            case .validDNSName: .init("name", names: "DNS:test.example.com")
            case .validURI: .init("address", names: "URI:https://test.example.com/")
            }
        }
    }

    static let host = "test.example.com"
    let root: Identity
    let ca1: Identity
    let ca2: Identity
    private let leaves: [Leaf: Identity]

    init() throws {
        let root = try Identity(.authority("test root"))
        let ca1 = try Identity(.authority("authority 1"), signedBy: root)
        let ca2 = try Identity(.authority("authority 2"), signedBy: root)
        leaves = try Dictionary(
            uniqueKeysWithValues: Leaf.allCases.map {
                ($0, try Identity($0.form, signedBy: $0.isOfCA1 ? ca1 : ca2))
            })
        self.root = root
        self.ca1 = ca1
        self.ca2 = ca2
    }

    subscript(leaf: Leaf) -> Certificate {
        guard let identity = leaves[leaf] else { preconditionFailure("All were made.") }
        return identity.certificate
    }

    /// What a server with the leaf sends when it is set up as in the original's tests.
    func trust(_ leaf: Leaf) -> ServerTrust {
        let authority = leaf.isOfCA1 ? ca1 : ca2
        return trust([self[leaf], authority.certificate, root.certificate])
    }

    func trust(_ certificates: [Certificate]) -> ServerTrust {
        ServerTrust(host: Self.host, certificates: certificates)
    }
}

extension Identity.Form {
    fileprivate static var expired: Self {
        var form = Self("expired", names: "DNS:test.example.com")
        form.end = -3_600
        return form
    }
}
