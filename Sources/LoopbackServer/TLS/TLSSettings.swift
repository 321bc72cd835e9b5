public import Foundation

/// How a server shows itself over TLS and what it asks of its clients.
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

    /// Whether a client is to show a certificate of its own.
    public enum ClientCertificate: Sendable {
        /// Not asked.
        case unwanted
        /// Asked; a client without one is served too.
        case asked
        /// Asked; the handshake with a client without one fails.
        case demanded
    }

    /// The certificate and the key.
    public var identity: TLSIdentity
    /// The certificates that are sent after its own, DER.
    public var chain: [Data]
    /// The lowest version; nil means OpenSSL's.
    public var lowest: Version?
    /// The highest version; nil means OpenSSL's.
    public var highest: Version?
    /// The ciphers up to TLS 1.2 in OpenSSL's words; this value lets old versions work at all.
    public var ciphers = "DEFAULT:@SECLEVEL=0"
    /// Whether clients are to show a certificate.
    public var clientCertificate = ClientCertificate.unwanted
    /// The authorities of clients, DER; with none, every client's certificate is good.
    public var clientAuthorities: [Data] = []
    /// Whether a client may take up an earlier session.
    public var resumes = true

    /// A server with this identity and the certificates that lead from it to an authority.
    public init(_ identity: TLSIdentity, chain: [Data] = []) {
        self.identity = identity
        self.chain = chain
    }
}
