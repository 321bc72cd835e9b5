package import Locking

/// What a server sent in its handshake: what SecTrust is on Apple's systems, before it is judged.
///
/// It says nothing about whether the certificates are valid; `SecurityPolicy` does.
public final class ServerTrust: Sendable {
    /// The host of the request, as the URL spelled it.
    public let host: String
    /// The server's certificates in the order it sent them: the first is its own, the others may be
    /// anything.
    public let certificates: [Certificate]
    /// What old sources change, as of a `SecTrust`. A connection is never judged by it.
    package let terms = Locked(OwnTerms())

    /// What a program's own evaluation of a trust goes by.
    package struct OwnTerms: Sendable {
        /// The name that the certificate must have; nil checks none.
        package enum Name: Sendable { case ofRequest, given(String?) }

        package var name = Name.ofRequest
        /// What ends a chain; nil means the system's anchors.
        package var anchors: [Certificate]?
        /// Whether the system's anchors count beside those.
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
