/// What a server sent in its handshake: what SecTrust is on Apple's systems, before it is judged.
///
/// It says nothing about whether the certificates are valid; `SecurityPolicy` does.
public final class ServerTrust: Sendable {
    /// The host of the request, as the URL spelled it.
    public let host: String
    /// The server's certificates in the order it sent them: the first is its own, the others may be
    /// anything.
    public let certificates: [Certificate]

    /// Makes a trust, for example from recorded certificates.
    ///
    /// - Parameter certificates: the server's own first. A trust without any is never accepted.
    public init(host: String, certificates: [Certificate]) {
        self.host = host
        self.certificates = certificates
    }
}
