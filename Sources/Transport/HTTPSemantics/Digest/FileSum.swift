import COpenSSL

/// A sum that a file must have.
package struct FileSum: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case md5 = "MD5"
        case sha256 = "SHA256"
        case sha512 = "SHA512"

        /// The bytes of a sum.
        package var length: Int {
            switch self {
            case .md5: 16
            case .sha256: 32
            case .sha512: 64
            }
        }

        var algorithm: OpaquePointer? {
            switch self {
            case .md5: EVP_md5()
            case .sha256: EVP_sha256()
            case .sha512: EVP_sha512()
            }
        }
    }

    package let kind: Kind
    /// Hexadecimal, in lower case.
    package let digits: String

    /// Reads hexadecimal digits; nil where their number is that of no sum.
    package init?(_ text: String) {
        let kind = Kind.allCases.first { 2 * $0.length == text.utf8.count }
        guard let kind, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        self.kind = kind
        digits = text.lowercased()
    }
}
