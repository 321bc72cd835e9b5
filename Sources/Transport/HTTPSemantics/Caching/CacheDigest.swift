import Foundation

enum CacheDigest {
    /// The hash of several pieces joined; nil when OpenSSL fails.
    static func sha256(_ pieces: Data...) -> Data? {
        guard let hash = try? SHA256() else { return nil }
        for piece in pieces { piece.withUnsafeBytes { hash.update($0) } }
        return (try? hash.bytes()).map { Data($0) }
    }

    static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func sixteenRandomBytes() -> Data {
        var system = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (system.next(), system.next())) { Data($0) }
    }
}
