public import Foundation
public import FoundationNetworking

/// The authentication method of a challenge that asks for a client certificate.
///
/// The string is that of Apple's systems. Foundation on Linux declares the name as unavailable.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

extension URLProtectionSpace {
    /// The authorities whose client certificates a server accepts, each a distinguished name in
    /// DER; empty when the server names none. Nil unless the method is
    /// `NSURLAuthenticationMethodClientCertificate`.
    ///
    /// Apple's name is `distinguishedNames`, which Foundation on Linux has and leaves nil.
    public var clientCertificateIssuers: [Data]? { (self as? ClientCertificateSpace)?.issuers }
}

/// The protection space of a client-certificate challenge: a subclass, because an extension cannot
/// store the issuers.
package final class ClientCertificateSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because the base class does not restate its conformance; the only property is
    // constant.
    package let issuers: [Data]

    /// - Parameter issuers: the distinguished names that the server sent, DER.
    package init(host: String, port: Int, issuers: [Data]) {
        self.issuers = issuers
        super.init(
            host: host, port: port, protocol: "https", realm: nil,
            authenticationMethod: "NSURLAuthenticationMethodClientCertificate")
    }
}
