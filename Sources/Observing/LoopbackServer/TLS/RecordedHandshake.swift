/// One completed TLS handshake, as the server saw it.
public struct RecordedHandshake: Sendable, Equatable {
    /// The connection; the first accepted one is 1.
    public let connection: Int
    /// The version that was negotiated, for example `TLSv1.3`.
    public let version: String
    /// Whether the client resumed a session.
    public let isResumed: Bool
    /// The host that the client named (RFC 6066 section 3); nil when it named none.
    public let serverName: String?
    /// The application protocol that was negotiated (RFC 7301); nil when the client offered none.
    public let applicationProtocol: String?
    /// The subject of the client's certificate in one line, for example `CN = client`.
    public let clientSubject: String?
}
