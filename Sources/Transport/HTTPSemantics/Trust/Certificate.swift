import COpenSSL
public import Foundation
import Locking

/// An X.509 certificate, stored as its DER bytes.
///
/// The bytes are parsed by the initializers, so every value is a well-formed certificate. Two certificates are equal if
/// their bytes are. The names in it may be any text that its issuer has written.
public struct Certificate: Sendable, Hashable {
    /// The certificate in DER (RFC 5280 section 4.1).
    public let der: Data
    /// The SubjectPublicKeyInfo in DER. Pinning by public key compares this.
    public let publicKey: Data
    /// OpenSSL's X509 object, which is thread-safe.
    private let owner: OwnedPointer
    var pointer: OpaquePointer { owner.pointer }

    /// Parses a certificate in DER.
    ///
    /// - Parameter der: the bytes of one certificate and no others.
    /// - Throws: `CertificateError.notDER` if the bytes are not that.
    public init(der: Data) throws {
        let certificate = OpenSSLValue.whole(der: der) {
            d2i_X509(nil, &$0, $1).flatMap(Certificate.init(owning:))
        }
        guard let certificate else { throw CertificateError.notDER }
        self = certificate
    }

    /// Parses the first certificate in a PEM text. Other blocks and other text are skipped.
    ///
    /// - Throws: `CertificateError.notPEM` if there is no certificate, or if it cannot be parsed.
    public init(pem: Data) throws {
        guard let first = try Self.all(pem: pem).first else { throw CertificateError.notPEM }
        self = first
    }

    /// Parses all certificates in a PEM text, in order.
    ///
    /// - Returns: an empty array if the text has no certificate.
    /// - Throws: `CertificateError.notPEM` if a block is labelled as a certificate but cannot be parsed.
    public static func all(pem: Data) throws -> [Certificate] {
        let all = OpenSSLValue.all(pem: pem) {
            PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil)
                .flatMap(Certificate.init(owning:))
        }
        guard let all else { throw CertificateError.notPEM }
        return all
    }

    /// Returns the certificates of an OpenSSL list, each with a reference of its own.
    ///
    /// - Returns: an empty array if one of them cannot be encoded.
    package static func all(in list: OpaquePointer) -> [Certificate] {
        let objects = OpenSSLValue.objects(in: list)
        let certificates = objects.compactMap { Certificate(sharing: $0) }
        return certificates.count == objects.count ? certificates : []
    }

    /// Makes a certificate that retains an OpenSSL object; nil if OpenSSL cannot encode that.
    init?(sharing pointer: OpaquePointer) {
        guard OpenSSLGate.whileOpen({ X509_up_ref(pointer) }) == 1 else { return nil }
        self.init(owning: pointer)
    }

    /// Makes a certificate that owns the caller's reference to an OpenSSL object; nil if OpenSSL cannot encode that.
    init?(owning pointer: OpaquePointer) {
        owner = OwnedPointer(openSSL: pointer, free: X509_free)
        guard let der = OpenSSLValue.der({ i2d_X509(pointer, $0) }),
            let key = X509_get_X509_PUBKEY(pointer),
            let publicKey = OpenSSLValue.der({ i2d_X509_PUBKEY(key, $0) })
        else { return nil }
        (self.der, self.publicKey) = (der, publicKey)
    }

    /// The subject in one line, to be read by people, such as `CN = example.com`. Control characters are escaped.
    public var subject: String {
        OpenSSLGate.discardingErrors(atExit: "") {
            guard let text = BIO_new(BIO_s_mem()) else { return "" }
            defer { BIO_free(text) }
            X509_NAME_print_ex(text, X509_get_subject_name(pointer), 0, copenssl_one_line)
            var line = [UInt8](repeating: 0, count: 512)
            let count = BIO_read(text, &line, Int32(line.count))
            return String(decoding: line.prefix(Int(max(count, 0))), as: UTF8.self)
        }
    }

    /// The first time at which the certificate is valid.
    public var notBefore: Date? { OpenSSLValue.date(X509_get0_notBefore(pointer)) }

    /// The last time at which the certificate is valid.
    public var notAfter: Date? { OpenSSLValue.date(X509_get0_notAfter(pointer)) }

    /// Whether the bytes of two certificates are equal.
    public static func == (left: Certificate, right: Certificate) -> Bool {
        left.pointer == right.pointer || left.der == right.der
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }
}

/// The reason why bytes or a text cannot be parsed as certificates or as a certificate revocation list.
public enum CertificateError: Int, Error, LocalizedError, Sendable {
    /// The bytes are not one certificate in DER. For PEM use `Certificate(pem:)`.
    case notDER = 1
    /// The text has no PEM block with the label `CERTIFICATE`, or one that cannot be parsed.
    case notPEM = 2
    /// The bytes are neither a certificate revocation list in DER nor a text with lists in PEM.
    case notARevocationList = 3

    /// A sentence that describes the error.
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
