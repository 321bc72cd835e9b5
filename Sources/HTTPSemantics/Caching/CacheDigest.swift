import COpenSSL
import Foundation

/// SHA-256 by OpenSSL.
enum CacheDigest {
    /// The hash of several pieces joined; nil when OpenSSL fails.
    static func sha256(_ pieces: Data...) -> Data? {
        copenssl_stay_through_exit()
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { return nil }
        for piece in pieces {
            let isTaken = piece.withUnsafeBytes {
                EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1
            }
            guard isTaken else { return nil }
        }
        var digest = [UInt8](repeating: 0, count: 32)
        return EVP_DigestFinal_ex(context, &digest, nil) == 1 ? Data(digest) : nil
    }

    static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func sixteenRandomBytes() -> Data {
        var system = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (system.next(), system.next())) { Data($0) }
    }
}
