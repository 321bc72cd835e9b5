public import Foundation
public import FoundationNetworking

/// The authentication method of a challenge that asks for a client certificate.
///
/// The string of Apple's systems. Foundation on Linux declares the name and makes it unavailable.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

extension URLProtectionSpace {
    /// The authorities a server accepts client certificates of, each a distinguished name in DER;
    /// empty when it names none. Nil unless the method is
    /// `NSURLAuthenticationMethodClientCertificate`.
    ///
    /// Apple's name is `distinguishedNames`, which Foundation on Linux takes up and leaves nil.
    public var clientCertificateIssuers: [Data]? { (self as? ClientCertificateSpace)?.issuers }
}

/// The protection space of a client-certificate challenge. An extension could store nothing.
package final class ClientCertificateSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because the base class does not restate what it is; the only variable is constant.
    package let issuers: [Data]

    /// - Parameter issuers: the distinguished names that the server sent, DER.
    package init(host: String, port: Int, issuers: [Data]) {
        self.issuers = issuers
        super.init(
            host: host, port: port, protocol: "https", realm: nil,
            authenticationMethod: "NSURLAuthenticationMethodClientCertificate")
    }
}
