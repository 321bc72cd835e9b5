public import Foundation

/// The certificate that a server presents over TLS, and what it requires of clients.
public struct TLSSettings: Sendable {
    /// A version of the protocol by its number on the wire.
    public enum Version: Int, Sendable {
        /// TLS 1.0.
        case tls10 = 0x0301
        /// TLS 1.1.
        case tls11 = 0x0302
        /// TLS 1.2.
        case tls12 = 0x0303
        /// TLS 1.3.
        case tls13 = 0x0304
    }

    /// Whether the server requests a certificate of the client.
    public enum ClientCertificate: Sendable {
        /// Not requested.
        case unwanted
        /// Requested; a client without one is served too.
        case asked
        /// Requested; the handshake with a client without one fails.
        case demanded
    }

    /// The certificate and the key.
    public var identity: TLSIdentity
    /// The certificates that the server sends after its own, DER.
    public var chain: [Data]
    /// The lowest version; nil means OpenSSL's.
    public var lowest: Version?
    /// The highest version; nil means OpenSSL's.
    public var highest: Version?
    /// The ciphers up to TLS 1.2, as OpenSSL spells them; old versions need this security level.
    public var ciphers = "DEFAULT:@SECLEVEL=0"
    /// Whether the server requests certificates of clients.
    public var clientCertificate = ClientCertificate.unwanted
    /// The authorities of clients' certificates, DER; with none, every certificate is accepted.
    public var clientAuthorities: [Data] = []
    /// Whether a client may resume a session.
    public var resumes = true

    /// A server with this identity and the certificates that lead from it to an authority.
    public init(_ identity: TLSIdentity, chain: [Data] = []) {
        self.identity = identity
        self.chain = chain
    }
}
