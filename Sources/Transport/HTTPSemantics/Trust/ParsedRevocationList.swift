import COpenSSL
import Foundation
import Locking

/// An OpenSSL X509_CRL object; OpenSSL sorts its entries once, under its own lock.
struct ParsedRevocationList: Sendable {
    private let owner: OwnedPointer
    var pointer: OpaquePointer { owner.pointer }

    private init(owning pointer: OpaquePointer) {
        owner = OwnedPointer(
            pointer, free: { pointer in OpenSSLGate.whileOpen { X509_CRL_free(pointer) } })
    }

    /// The list in DER; nil where the bytes are anything else.
    static func whole(der: Data) -> ParsedRevocationList? {
        OpenSSLValue.whole(der: der) {
            d2i_X509_CRL(nil, &$0, $1).map { ParsedRevocationList(owning: $0) }
        }
    }

    /// The lists of a PEM text; nil where one is broken.
    static func all(pem: Data) -> [ParsedRevocationList]? {
        OpenSSLValue.all(pem: pem) {
            PEM_read_bio_X509_CRL($0, nil, { _, _, _, _ in -1 }, nil).map {
                ParsedRevocationList(owning: $0)
            }
        }
    }

    var der: Data? { OpenSSLValue.der { i2d_X509_CRL(pointer, $0) } }

    /// Whether the certificate's issuer made this list, and revokes the certificate in it.
    func names(_ certificate: Certificate) -> Bool {
        let certificate = certificate.parsed.pointer
        return OpenSSLErrors.discarding(atExit: true) {
            var entry: OpaquePointer?
            return X509_NAME_cmp(X509_CRL_get_issuer(pointer), X509_get_issuer_name(certificate))
                == 0 && X509_CRL_get0_by_cert(pointer, &entry, certificate) == 1
        }
    }

    var nextUpdate: Date? { OpenSSLValue.date(X509_CRL_get0_nextUpdate(pointer)) }
}
