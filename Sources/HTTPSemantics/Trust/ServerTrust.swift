/// What a server showed in its handshake: what SecTrust is on Apple's systems, before it is judged.
///
/// It says nothing about whether the certificates are valid; `SecurityPolicy` does.
public final class ServerTrust: Sendable {
    /// The host that was asked for, as the URL spelled it.
    public let host: String
    /// What the server sent, in its order: the first is its own, the others may be anything.
    public let certificates: [Certificate]

    /// Makes a trust, for example from recorded certificates.
    ///
    /// - Parameter certificates: the server's own first. None makes a trust that nothing accepts.
    public init(host: String, certificates: [Certificate]) {
        self.host = host
        self.certificates = certificates
    }
}
