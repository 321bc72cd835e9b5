public import Foundation

/// The certificates that an authority took back (RFC 5280 section 5), held as the bytes in DER.
///
/// It was parsed when it was made. Whether its signature holds and it is still current is judged
/// together with a chain.
public struct CertificateRevocationList: Sendable, Hashable {
    /// The whole list, DER.
    public let der: Data
    /// OpenSSL's form of it.
    let parsed: ParsedRevocationList

    /// Reads a list.
    ///
    /// - Parameter der: one list and nothing after it.
    /// - Throws: `CertificateError.notARevocationList` when the bytes are anything else.
    public init(der: Data) throws {
        guard let parsed = ParsedRevocationList.whole(der: der) else {
            throw CertificateError.notARevocationList
        }
        self.der = der
        self.parsed = parsed
    }

    /// Reads every list of a PEM text, in its order; an authority and those below it often come in
    /// one file.
    ///
    /// - Throws: `CertificateError.notARevocationList` when there is none, or one that is broken.
    public static func all(pem: Data) throws -> [CertificateRevocationList] {
        guard let parsed = ParsedRevocationList.all(pem: pem), !parsed.isEmpty else {
            throw CertificateError.notARevocationList
        }
        return try parsed.map {
            guard let der = $0.der else { throw CertificateError.notARevocationList }
            return try CertificateRevocationList(der: der)
        }
    }

    /// The moment after which the list counts no longer; nil when it names none.
    public var nextUpdate: Date? { parsed.nextUpdate }

    /// Equal bytes are equal lists.
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
