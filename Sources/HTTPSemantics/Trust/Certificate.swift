public import Foundation

/// One X.509 certificate, held as the bytes of its DER form.
///
/// It was parsed when it was made, so every value is a certificate. Two are equal when their bytes
/// are. Names in it are whatever its maker wrote.
public struct Certificate: Sendable, Hashable {
    /// The whole certificate, DER (RFC 5280 section 4.1).
    public let der: Data
    /// The SubjectPublicKeyInfo, DER: what a public-key pin is compared with (SP-9).
    public let publicKey: Data
    /// OpenSSL's form of it.
    let parsed: ParsedCertificate

    /// Reads a certificate.
    ///
    /// - Parameter der: one certificate and nothing after it.
    /// - Throws: `CertificateError.notDER` when the bytes are anything else.
    public init(der: Data) throws {
        guard let parsed = ParsedCertificate.whole(der: der), let certificate = Certificate(parsed)
        else {
            throw CertificateError.notDER
        }
        self = certificate
    }

    /// Reads the first certificate of a PEM text; other blocks and text around are passed over.
    ///
    /// - Throws: `CertificateError.notPEM` when there is none, or one that cannot be read.
    public init(pem: Data) throws {
        guard let first = try Self.all(pem: pem).first else { throw CertificateError.notPEM }
        self = first
    }

    /// Reads every certificate of a PEM text, in its order.
    ///
    /// - Returns: none where the text holds no certificate.
    /// - Throws: `CertificateError.notPEM` when a block says that it is a certificate and is not.
    public static func all(pem: Data) throws -> [Certificate] {
        guard let parsed = ParsedCertificate.all(pem: pem) else { throw CertificateError.notPEM }
        return try parsed.map {
            guard let certificate = Certificate($0) else { throw CertificateError.notPEM }
            return certificate
        }
    }

    /// Nil when OpenSSL cannot write it down again.
    init?(_ parsed: ParsedCertificate) {
        guard let der = parsed.der, let publicKey = parsed.publicKey else { return nil }
        self.der = der
        self.publicKey = publicKey
        self.parsed = parsed
    }

    /// The subject in one line, for people, for example `CN = example.com`; control characters in
    /// it are escaped.
    public var subject: String { parsed.subject }

    /// The first moment at which it is valid.
    public var notBefore: Date? { parsed.notBefore }

    /// The last moment at which it is valid.
    public var notAfter: Date? { parsed.notAfter }

    /// Equal bytes are equal certificates.
    public static func == (left: Certificate, right: Certificate) -> Bool {
        left.parsed === right.parsed || left.der == right.der
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }
}

/// Why bytes are no certificate, or no list of revoked ones.
public enum CertificateError: Int, Error, LocalizedError, Sendable {
    /// The bytes are not one certificate in DER; PEM text belongs to `Certificate(pem:)`.
    case notDER = 1
    /// The text holds no `CERTIFICATE` block in PEM, or one that is broken.
    case notPEM = 2
    /// The bytes are neither a certificate revocation list in DER nor a text with some in PEM.
    case notARevocationList = 3

    /// The sentence of the case.
    public var errorDescription: String? {
        switch self {
        case .notDER: "The bytes are not one certificate in DER."
        case .notPEM: "The text holds no whole certificate in PEM."
        case .notARevocationList:
            "The bytes are no certificate revocation list, neither in DER nor in PEM."
        }
    }
}
