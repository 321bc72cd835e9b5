package import HTTPSemantics
package import Foundation
import LoopbackServer

/// The certificates that the trust tests share: one authority to trust and what may go wrong.
package struct Cast: Sendable {
    package let root: Identity
    package let middle: Identity
    package let good: Identity

    package static let names = "DNS:localhost,DNS:*.localhost.test,IP:127.0.0.1,IP:::1"

    package init() throws {
        root = try Identity(.authority("test root"))
        middle = try Identity(.authority("test intermediate"), signedBy: root)
        good = try Identity(.init("good", names: Self.names), signedBy: middle)
    }

    /// A leaf of the trusted intermediate that differs from the good one.
    package func leaf(_ change: (inout Identity.Form) -> Void) throws -> Identity {
        var form = Identity.Form("leaf", names: Self.names)
        change(&form)
        return try Identity(form, signedBy: middle)
    }

    /// A server's, with the good certificate.
    package var settings: TLSServer.Settings { .init(good, chain: [middle.certificate]) }

    /// What a server with the identity sends when it is set up well.
    package func trust(_ leaf: Identity, host: String = "localhost") -> ServerTrust {
        ServerTrust(host: host, certificates: [leaf.certificate, middle.certificate])
    }
}

extension Data {
    /// A certificate's bytes as PEM text.
    package var asPEM: Data { TLSIdentity.pem(self) }
}
