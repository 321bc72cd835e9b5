public import Foundation
public import FoundationNetworking

/// The authentication method of a challenge that has the server's certificates.
///
/// The string is that of Apple's systems. Foundation on Linux declares the name as unavailable.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// What the server sent in its handshake; nil unless the method is
    /// `NSURLAuthenticationMethodServerTrust`.
    public var peerTrust: ServerTrust? { (self as? PeerTrustSpace)?.trust }
}

/// The protection space of a server-trust challenge: a subclass, because an extension cannot store
/// the trust.
package final class PeerTrustSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because the base class does not restate its conformance; the only property is
    // constant.
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
/// It accepts only the trust that it was made with. For another host, or other certificates, the
/// challenge counts as unanswered.
public final class PeerTrustCredential: URLCredential, @unchecked Sendable {
    // @unchecked because the base class is immutable, and so is what is added.

    /// The trust that is accepted.
    public let peerTrust: ServerTrust

    /// Makes a credential that accepts a trust.
    public init(peerTrust: ServerTrust) {
        self.peerTrust = peerTrust
        super.init(user: "", password: "", persistence: .none)
    }

    /// Always fails: it accepts one handshake's certificates and is never stored.
    ///
    /// - Returns: nil.
    public required init?(coder: NSCoder) {
        nil
    }
}
