public import Foundation

/// The certificates that an authority has revoked (RFC 5280 section 5), stored as DER bytes.
///
/// The bytes were parsed when it was made. Its signature and its date are checked together with a
/// chain.
public struct CertificateRevocationList: Sendable, Hashable {
    /// The whole list in DER.
    public let der: Data
    let parsed: ParsedRevocationList

    /// Reads a list.
    ///
    /// - Parameter der: one list without further bytes.
    /// - Throws: `CertificateError.notARevocationList` when the bytes are anything else.
    public init(der: Data) throws {
        guard let parsed = ParsedRevocationList.whole(der: der) else {
            throw CertificateError.notARevocationList
        }
        self.der = der
        self.parsed = parsed
    }

    /// Reads every list of a PEM text, in its order; the lists of an authority and of its
    /// subordinates are often in one file.
    ///
    /// - Throws: `CertificateError.notARevocationList` when there is none, or a broken one.
    public static func all(pem: Data) throws -> [CertificateRevocationList] {
        guard let parsed = ParsedRevocationList.all(pem: pem), !parsed.isEmpty else {
            throw CertificateError.notARevocationList
        }
        return try parsed.map {
            guard let der = $0.der else { throw CertificateError.notARevocationList }
            return try CertificateRevocationList(der: der)
        }
    }

    /// The time after which the list has expired; nil where it names none.
    public var nextUpdate: Date? { parsed.nextUpdate }

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
