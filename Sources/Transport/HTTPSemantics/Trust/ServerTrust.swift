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
