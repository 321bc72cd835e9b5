public import Foundation
public import FoundationNetworking

/// The authentication method of a challenge that shows the server's certificates.
///
/// The string of Apple's systems. Foundation on Linux declares the name and makes it unavailable.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// What the server showed; nil unless the method is `NSURLAuthenticationMethodServerTrust`.
    public var peerTrust: ServerTrust? { (self as? PeerTrustSpace)?.trust }
}

/// The protection space of a server-trust challenge. An extension could store nothing.
package final class PeerTrustSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because the base class does not restate what it is; the only variable is constant.
    package let trust: ServerTrust

    package init(_ trust: ServerTrust, port: Int) {
        self.trust = trust
        super.init(
            host: trust.host, port: port, protocol: "https", realm: nil,
            authenticationMethod: "NSURLAuthenticationMethodServerTrust")
    }
}

/// Accepts a server's trust: the answer to a challenge whose protection space has a `peerTrust`.
///
/// It accepts what it was made with and no other: a challenge of another host, or one that shows
/// other certificates, is judged as if it had not been answered.
public final class PeerTrustCredential: URLCredential, @unchecked Sendable {
    // @unchecked because the base class is a constant value, and so is what is added.

    /// What is accepted.
    public let peerTrust: ServerTrust

    /// Makes the answer that accepts a trust.
    public init(peerTrust: ServerTrust) {
        self.peerTrust = peerTrust
        super.init(user: "", password: "", persistence: .none)
    }

    /// Not possible: an acceptance is for one handshake and is never stored.
    ///
    /// - Returns: nil.
    public required init?(coder: NSCoder) {
        nil
    }
}
