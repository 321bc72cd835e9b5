import COpenSSL
import Foundation

/// Owner of one of OpenSSL's X509_CRL objects.
///
/// ## Concurrency
/// Call from: any thread. Lock: none here; OpenSSL's own inside the object.
final class ParsedRevocationList: @unchecked Sendable {
    // @unchecked because the object is never changed after this. OpenSSL sorts its entries once,
    // under a lock of its own.
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_CRL_free(pointer)
    }

    /// The list in DER; nil when the bytes are anything else.
    static func whole(der: Data) -> ParsedRevocationList? {
        OpenSSLValue.whole(der: der) {
            d2i_X509_CRL(nil, &$0, $1).map { ParsedRevocationList(owning: $0) }
        }
    }

    /// The lists of a PEM text; nil when one is broken.
    static func all(pem: Data) -> [ParsedRevocationList]? {
        OpenSSLValue.all(pem: pem) {
            PEM_read_bio_X509_CRL($0, nil, { _, _, _, _ in -1 }, nil).map {
                ParsedRevocationList(owning: $0)
            }
        }
    }

    var der: Data? { OpenSSLValue.der { i2d_X509_CRL(pointer, $0) } }

    var nextUpdate: Date? { OpenSSLValue.date(X509_CRL_get0_nextUpdate(pointer)) }
}
