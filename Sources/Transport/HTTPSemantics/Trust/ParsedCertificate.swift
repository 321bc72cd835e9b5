import COpenSSL
import Foundation
import Locking

/// An OpenSSL X509 object; OpenSSL guards what it caches in it with its own lock.
struct ParsedCertificate: Sendable {
    private let owner: OwnedPointer
    var pointer: OpaquePointer { owner.pointer }

    init(owning pointer: OpaquePointer) {
        owner = OwnedPointer(
            pointer, free: { pointer in OpenSSLGate.whileOpen { X509_free(pointer) } })
    }

    init?(sharing pointer: OpaquePointer) {
        guard OpenSSLGate.whileOpen({ X509_up_ref(pointer) }) == 1 else { return nil }
        self.init(owning: pointer)
    }

    /// The certificate in DER; nil where the bytes are anything else.
    static func whole(der: Data) -> ParsedCertificate? {
        OpenSSLValue.whole(der: der) {
            d2i_X509(nil, &$0, $1).map { ParsedCertificate(owning: $0) }
        }
    }

    /// The certificates of a PEM text; nil where one is broken.
    static func all(pem: Data) -> [ParsedCertificate]? {
        OpenSSLValue.all(pem: pem) {
            PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil).map {
                ParsedCertificate(owning: $0)
            }
        }
    }

    var der: Data? {
        OpenSSLValue.der { i2d_X509(pointer, $0) }
    }

    var publicKey: Data? {
        X509_get_X509_PUBKEY(pointer).flatMap { key in
            OpenSSLValue.der { i2d_X509_PUBKEY(key, $0) }
        }
    }

    var notBefore: Date? { OpenSSLValue.date(X509_get0_notBefore(pointer)) }

    var notAfter: Date? { OpenSSLValue.date(X509_get0_notAfter(pointer)) }

    var subject: String {
        OpenSSLErrors.discarding(atExit: "") {
            guard let text = BIO_new(BIO_s_mem()) else { return "" }
            defer { BIO_free(text) }
            X509_NAME_print_ex(text, X509_get_subject_name(pointer), 0, copenssl_one_line)
            var line = [UInt8](repeating: 0, count: 512)
            let count = BIO_read(text, &line, Int32(line.count))
            return String(decoding: line.prefix(Int(max(count, 0))), as: UTF8.self)
        }
    }
}
