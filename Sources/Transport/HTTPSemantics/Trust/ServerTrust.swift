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
/// server is judged as if no credential was given.
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

/// What must be true of a server before any byte of a request is sent to it.
///
/// Each value has its own connection pool (`RunLoopTransport`), so a connection or TLS session that
/// was accepted under one value is never used under another.
package struct ServerTrustRequirements: Hashable, Sendable {
    /// What a pin is compared with.
    package enum Pinning: Hashable, Sendable {
        case none, publicKeys, certificates
    }

    /// Whether the chain must lead to an anchor, with every certificate in it valid.
    package var verifiesChain = true
    /// Whether the certificate must name the host of the request.
    package var verifiesHost = true
    /// The certificates to trust in place of the system's; nil means the system's.
    package var anchors: [Certificate]?
    package var pinning = Pinning.none
    /// The pins; one on the path from the server's certificate to an anchor suffices.
    package var pins: [Certificate] = []
    /// Whether all certificates on the path to a pin must be valid. Otherwise a pin counts where it
    /// is the server's own certificate, or where signatures lead to it, whatever the dates.
    package var verifiesPathToPin = true
    /// The authorities' revocation lists; without any, revocation is not checked.
    package var revocationLists: [CertificateRevocationList] = []
    /// The time to judge for; nil means now.
    package var time: Date?

    package init() {}

    /// Only the number of elements of arrays is hashed: they may be long, each request needs a
    /// hash, and a process has few different requirements.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(verifiesChain)
        hasher.combine(verifiesHost)
        hasher.combine(anchors?.count)
        hasher.combine(pinning)
        hasher.combine(pins.count)
        hasher.combine(verifiesPathToPin)
        hasher.combine(revocationLists.count)
        hasher.combine(time)
    }
}
