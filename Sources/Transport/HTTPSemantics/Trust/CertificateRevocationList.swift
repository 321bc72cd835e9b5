import COpenSSL
public import Foundation
import Locking

/// The certificates that an authority has revoked (RFC 5280 section 5), stored as DER bytes.
///
/// The bytes were parsed when it was made. Its signature and its date are checked together with a
/// chain.
public struct CertificateRevocationList: Sendable, Hashable {
    /// The whole list in DER.
    public let der: Data
    /// OpenSSL's X509_CRL object, whose entries OpenSSL sorts once, under its own lock.
    private let owner: OwnedPointer
    var pointer: OpaquePointer { owner.pointer }

    /// Reads a list.
    ///
    /// - Parameter der: one list without further bytes.
    /// - Throws: `CertificateError.notARevocationList` when the bytes are anything else.
    public init(der: Data) throws {
        guard let owner = OpenSSLValue.whole(der: der, { Self.owning(d2i_X509_CRL(nil, &$0, $1)) })
        else { throw CertificateError.notARevocationList }
        self.der = der
        self.owner = owner
    }

    /// Reads every list of a PEM text, in its order; the lists of an authority and of its
    /// subordinates are often in one file.
    ///
    /// - Throws: `CertificateError.notARevocationList` when there is none, or a broken one.
    public static func all(pem: Data) throws -> [CertificateRevocationList] {
        let all = OpenSSLValue.all(pem: pem) {
            owning(PEM_read_bio_X509_CRL($0, nil, { _, _, _, _ in -1 }, nil))
        }
        guard let all, !all.isEmpty else { throw CertificateError.notARevocationList }
        return try all.map { owner in
            guard let der = OpenSSLValue.der({ i2d_X509_CRL(owner.pointer, $0) }) else {
                throw CertificateError.notARevocationList
            }
            return try CertificateRevocationList(der: der)
        }
    }

    private static func owning(_ pointer: OpaquePointer?) -> OwnedPointer? {
        pointer.map { OwnedPointer(openSSL: $0, free: X509_CRL_free) }
    }

    /// The time after which the list has expired; nil where it names none.
    public var nextUpdate: Date? { OpenSSLValue.date(X509_CRL_get0_nextUpdate(pointer)) }

    /// Whether the certificate's issuer made this list, and revokes the certificate in it.
    func names(_ certificate: Certificate) -> Bool {
        let certificate = certificate.pointer
        return OpenSSLGate.discardingErrors(atExit: true) {
            var entry: OpaquePointer?
            return X509_NAME_cmp(X509_CRL_get_issuer(pointer), X509_get_issuer_name(certificate))
                == 0 && X509_CRL_get0_by_cert(pointer, &entry, certificate) == 1
        }
    }

    /// Lists are equal when their bytes are.
    public static func == (
        left: CertificateRevocationList, right: CertificateRevocationList
    ) -> Bool {
        left.der == right.der
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }
}
