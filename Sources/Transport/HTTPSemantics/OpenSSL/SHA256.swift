import COpenSSL
import Foundation

/// An incremental SHA-256, or one of the other sums of files, by OpenSSL.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none. Calls out: none.
package final class SHA256 {
    private let context: OpaquePointer
    private let kind: FileSum.Kind
    /// Whether bytes are missing: the process is exiting, and OpenSSL is no longer called.
    private var isCut = false

    /// - Throws: when OpenSSL has no memory, was built without SHA-256, or the process is exiting.
    package init(_ kind: FileSum.Kind = .sha256) throws(DigestUnavailable) {
        let made = OpenSSLGate.whileOpen { () -> OpaquePointer? in
            guard let context = EVP_MD_CTX_new() else { return nil }
            if EVP_DigestInit_ex(context, kind.algorithm, nil) == 1 { return context }
            EVP_MD_CTX_free(context)
            return nil
        }
        guard let made, let context = made else { throw DigestUnavailable() }
        self.context = context
        self.kind = kind
    }

    deinit {
        OpenSSLGate.whileOpen { EVP_MD_CTX_free(context) }
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        let result = OpenSSLGate.whileOpen {
            EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        }
        if result != 1 { isCut = true }
    }

    /// The hash of the bytes so far, as hexadecimal digits; more bytes may follow.
    ///
    /// - Throws: when OpenSSL has no memory, or the process is exiting.
    package func digest() throws(DigestUnavailable) -> String {
        try bytes().hexadecimal
    }

    /// The hash of the bytes so far; more bytes may follow.
    package func bytes() throws(DigestUnavailable) -> [UInt8] {
        guard !isCut else { throw DigestUnavailable() }
        var digest = [UInt8](repeating: 0, count: kind.length)
        let isDone = OpenSSLGate.whileOpen {
            guard let copy = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(copy) }
            return EVP_MD_CTX_copy_ex(copy, context) == 1
                && EVP_DigestFinal_ex(copy, &digest, nil) == 1
        }
        guard isDone == true else { throw DigestUnavailable() }
        return digest
    }
}

/// OpenSSL could not make a SHA-256.
package struct DigestUnavailable: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "OpenSSL could not start a SHA-256." }
}

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

        /// The sum of some bytes; nil where OpenSSL fails, or the process is exiting.
        func sum(of bytes: Data) -> Data? {
            var sum = Data(count: length)
            let isDone = OpenSSLGate.whileOpen {
                sum.withUnsafeMutableBytes { sum in
                    bytes.withUnsafeBytes { bytes in
                        EVP_Digest(
                            bytes.baseAddress, bytes.count,
                            sum.bindMemory(to: UInt8.self).baseAddress, nil, algorithm, nil)
                    }
                }
            }
            return isDone == 1 ? sum : nil
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

extension Collection<UInt8> {
    /// Two digits for each byte, in lower case.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Data {
    /// From the system's generator.
    static func sixteenRandomBytes() -> Data {
        var system = SystemRandomNumberGenerator()
        return Swift.withUnsafeBytes(of: (system.next(), system.next())) { Data($0) }
    }
}
