public import Foundation
public import FoundationNetworking
package import Locking

/// The certificates that a server sent in its handshake, as in SecTrust on Apple's systems, before
/// they are judged.
///
/// It does not say whether the certificates are valid; `SecurityPolicy` does.
public final class ServerTrust: Sendable {
    /// The host of the request, as the URL spelled it.
    public let host: String
    /// The server's certificates in the order it sent them: the first is its own, the others may be
    /// anything.
    public let certificates: [Certificate]
    /// Settings that old sources change, as in a `SecTrust`. No connection is judged by them.
    package let terms = Locked(OwnTerms())

    /// The settings of a program's own evaluation of a trust.
    package struct OwnTerms: Sendable {
        /// The name that the certificate must have; nil: not checked.
        package enum Name: Sendable { case ofRequest, given(String?) }

        package var name = Name.ofRequest
        /// The anchors; nil means the system's.
        package var anchors: [Certificate]?
        /// Whether the system's anchors count in addition.
        package var includesSystem = false
    }

    /// Makes a trust, for example from recorded certificates.
    ///
    /// - Parameter certificates: the server's own first. A trust without any is never accepted.
    public init(host: String, certificates: [Certificate]) {
        self.host = host
        self.certificates = certificates
    }
}

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
