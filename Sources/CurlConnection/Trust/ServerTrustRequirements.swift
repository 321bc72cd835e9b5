import Foundation

/// What must hold of a server before a byte of a request goes to it.
///
/// Distinct requirements never share a connection or a TLS session: each value has a pool of its own
/// (`RunLoopTransport`), so a connection accepted under one can never serve another.
package struct ServerTrustRequirements: Hashable, Sendable {
    /// Whether the chain must lead to an anchor and every certificate in it be valid now.
    package var verifiesChain = true
    /// Whether the certificate must name the host that was asked for.
    package var verifiesHost = true
    /// A file of PEM certificates to trust instead of the system's; nil means the system's.
    package var anchorsFile: String?

    package init() {}

    /// The file libcurl reads: the caller's, else `SSL_CERT_FILE` as for OpenSSL's own tools, else
    /// the system's bundle. A folder of certificates is never given: libcurl would read it anew for
    /// each connection.
    package var effectiveAnchorsFile: String? {
        anchorsFile ?? getenv("SSL_CERT_FILE").map { String(cString: $0) } ?? Self.systemBundle
    }

    private static let systemBundle = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/cert.pem",
    ].first { FileManager.default.isReadableFile(atPath: $0) }
}
