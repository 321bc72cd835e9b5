import COpenSSL
public import Foundation
import Locking

/// One X.509 certificate, stored as its DER bytes.
///
/// The bytes were parsed when it was made, so every value is a well-formed certificate. Two are
/// equal when their bytes are. Names in it are whatever its issuer wrote.
public struct Certificate: Sendable, Hashable {
    /// The whole certificate, DER (RFC 5280 section 4.1).
    public let der: Data
    /// The SubjectPublicKeyInfo in DER, which a public-key pin is compared with.
    public let publicKey: Data
    /// OpenSSL's X509 object, which guards what it caches by its own lock.
    private let owner: OwnedPointer
    var pointer: OpaquePointer { owner.pointer }

    /// Reads a certificate.
    ///
    /// - Parameter der: one certificate without further bytes.
    /// - Throws: `CertificateError.notDER` when the bytes are anything else.
    public init(der: Data) throws {
        let certificate = OpenSSLValue.whole(der: der) {
            d2i_X509(nil, &$0, $1).flatMap(Certificate.init(owning:))
        }
        guard let certificate else { throw CertificateError.notDER }
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
        let all = OpenSSLValue.all(pem: pem) {
            PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil)
                .flatMap(Certificate.init(owning:))
        }
        guard let all else { throw CertificateError.notPEM }
        return all
    }

    /// The certificates of an OpenSSL list, each with its own reference.
    ///
    /// - Returns: none where any of them cannot be read.
    package static func all(in list: OpaquePointer) -> [Certificate] {
        var certificates: [Certificate] = []
        for index in 0..<OPENSSL_sk_num(list) {
            guard let item = OPENSSL_sk_value(list, index),
                let certificate = Certificate(sharing: OpaquePointer(item))
            else { return [] }
            certificates.append(certificate)
        }
        return certificates
    }

    /// Adds a reference to an OpenSSL object; nil as below.
    init?(sharing pointer: OpaquePointer) {
        guard OpenSSLGate.whileOpen({ X509_up_ref(pointer) }) == 1 else { return nil }
        self.init(owning: pointer)
    }

    /// Takes over a reference to an OpenSSL object; nil where OpenSSL cannot encode it.
    init?(owning pointer: OpaquePointer) {
        owner = OwnedPointer(
            pointer, free: { pointer in OpenSSLGate.whileOpen { X509_free(pointer) } })
        guard let der = OpenSSLValue.der({ i2d_X509(pointer, $0) }),
            let key = X509_get_X509_PUBKEY(pointer),
            let publicKey = OpenSSLValue.der({ i2d_X509_PUBKEY(key, $0) })
        else { return nil }
        (self.der, self.publicKey) = (der, publicKey)
    }

    /// The subject in one line, for people, for example `CN = example.com`; control characters are
    /// escaped.
    public var subject: String {
        OpenSSLErrors.discarding(atExit: "") {
            guard let text = BIO_new(BIO_s_mem()) else { return "" }
            defer { BIO_free(text) }
            X509_NAME_print_ex(text, X509_get_subject_name(pointer), 0, copenssl_one_line)
            var line = [UInt8](repeating: 0, count: 512)
            let count = BIO_read(text, &line, Int32(line.count))
            return String(decoding: line.prefix(Int(max(count, 0))), as: UTF8.self)
        }
    }

    /// The first time at which it is valid.
    public var notBefore: Date? { OpenSSLValue.date(X509_get0_notBefore(pointer)) }

    /// The last time at which it is valid.
    public var notAfter: Date? { OpenSSLValue.date(X509_get0_notAfter(pointer)) }

    /// Certificates are equal when their bytes are.
    public static func == (left: Certificate, right: Certificate) -> Bool {
        left.pointer == right.pointer || left.der == right.der
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
