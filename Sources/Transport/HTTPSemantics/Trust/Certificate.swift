public import Foundation

/// One X.509 certificate, stored as its DER bytes.
///
/// The bytes were parsed when it was made, so every value is a well-formed certificate. Two are
/// equal when their bytes are. Names in it are whatever its issuer wrote.
public struct Certificate: Sendable, Hashable {
    /// The whole certificate, DER (RFC 5280 section 4.1).
    public let der: Data
    /// The SubjectPublicKeyInfo in DER, which a public-key pin is compared with.
    public let publicKey: Data
    let parsed: ParsedCertificate

    /// Reads a certificate.
    ///
    /// - Parameter der: one certificate without further bytes.
    /// - Throws: `CertificateError.notDER` when the bytes are anything else.
    public init(der: Data) throws {
        guard let parsed = ParsedCertificate.whole(der: der), let certificate = Certificate(parsed)
        else {
            throw CertificateError.notDER
        }
        self = certificate
    }

    /// Reads the first certificate of a PEM text; other blocks and text are skipped.
    ///
    /// - Throws: `CertificateError.notPEM` when there is none, or one that cannot be read.
    public init(pem: Data) throws {
        guard let first = try Self.all(pem: pem).first else { throw CertificateError.notPEM }
        self = first
    }

    /// Reads every certificate of a PEM text, in its order.
    ///
    /// - Returns: an empty array where the text has no certificate.
    /// - Throws: `CertificateError.notPEM` when a block is named a certificate and is not one.
    public static func all(pem: Data) throws -> [Certificate] {
        guard let parsed = ParsedCertificate.all(pem: pem) else { throw CertificateError.notPEM }
        return try parsed.map {
            guard let certificate = Certificate($0) else { throw CertificateError.notPEM }
            return certificate
        }
    }

    /// Nil where OpenSSL cannot encode it.
    init?(_ parsed: ParsedCertificate) {
        guard let der = parsed.der, let publicKey = parsed.publicKey else { return nil }
        self.der = der
        self.publicKey = publicKey
        self.parsed = parsed
    }

    /// The subject in one line, for people, for example `CN = example.com`; control characters are
    /// escaped.
    public var subject: String { parsed.subject }

    /// The first time at which it is valid.
    public var notBefore: Date? { parsed.notBefore }

    /// The last time at which it is valid.
    public var notAfter: Date? { parsed.notAfter }

    /// Certificates are equal when their bytes are.
    public static func == (left: Certificate, right: Certificate) -> Bool {
        left.parsed.pointer == right.parsed.pointer || left.der == right.der
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }
}

/// Why bytes are no certificate, or no list of revoked certificates.
public enum CertificateError: Int, Error, LocalizedError, Sendable {
    /// The bytes are not one certificate in DER; PEM text belongs to `Certificate(pem:)`.
    case notDER = 1
    /// The text has no `CERTIFICATE` block in PEM, or a broken one.
    case notPEM = 2
    /// The bytes are neither a certificate revocation list in DER nor a text with lists in PEM.
    case notARevocationList = 3

    /// The sentence of the case.
    public var errorDescription: String? {
        switch self {
        case .notDER:
            "The bytes are not one certificate in DER; Certificate(pem:) reads PEM."
        case .notPEM: "The text holds no whole certificate in PEM."
        case .notARevocationList:
            "The bytes are no certificate revocation list, neither in DER nor in PEM."
        }
    }
}
