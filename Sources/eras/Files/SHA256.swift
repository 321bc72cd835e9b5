import COpenSSL
import Foundation

/// An incremental SHA-256, by OpenSSL.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none. Calls out: none.
final class SHA256 {
    private let context: OpaquePointer

    /// - Throws: `DigestUnavailable` when OpenSSL has no memory or was built without SHA-256.
    init() throws {
        copenssl_stay_through_exit()
        guard let context = EVP_MD_CTX_new() else { throw DigestUnavailable() }
        self.context = context
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { throw DigestUnavailable() }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The hash as 64 hexadecimal digits; no bytes may be added after it.
    func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Adds the bytes of a file from an open descriptor's position to its end.
    ///
    /// - Returns: the bytes read; fewer than there are when `isCancelled` was true.
    func update(
        reading descriptor: Int32, path: String, isCancelled: () -> Bool
    ) throws -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var total: Int64 = 0
        while !isCancelled() {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DiskError(action: "read", path: path) }
            guard count > 0 else { break }
            update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += Int64(count)
        }
        return total
    }
}

/// OpenSSL could not make a SHA-256.
struct DigestUnavailable: Error, CustomStringConvertible {
    var description: String { "OpenSSL could not start a SHA-256." }
}
