package import HTTPSemantics
@_exported public import LoopbackServer

/// A certificate with its key, made in the test that uses it, so nothing in the repository expires.
package typealias Identity = TLSIdentity

extension TLSIdentity {
    /// The certificate as the library holds it.
    package var certificate: Certificate {
        guard let certificate = try? Certificate(der: der) else {
            preconditionFailure("OpenSSL does not read what it wrote.")
        }
        return certificate
    }
}

/// OpenSSL or the system refused what a test peer needs.
package struct TLSPeerError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
