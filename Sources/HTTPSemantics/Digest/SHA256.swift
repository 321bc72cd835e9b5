import COpenSSL

/// An incremental SHA-256, by OpenSSL.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none. Calls out: none.
package final class SHA256 {
    private let context: OpaquePointer

    /// - Throws: when OpenSSL has no memory or was built without SHA-256.
    package init() throws(DigestUnavailable) {
        copenssl_stay_through_exit()
        guard let context = EVP_MD_CTX_new() else { throw DigestUnavailable() }
        self.context = context
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { throw DigestUnavailable() }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Adds bytes.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The hash of the bytes so far, as 64 hexadecimal digits; more bytes may follow.
    ///
    /// - Throws: when OpenSSL has no memory.
    package func digest() throws(DigestUnavailable) -> String {
        try bytes().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The hash of the bytes so far, as 32 bytes; more may follow.
    package func bytes() throws(DigestUnavailable) -> [UInt8] {
        guard let copy = EVP_MD_CTX_new() else { throw DigestUnavailable() }
        defer { EVP_MD_CTX_free(copy) }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_MD_CTX_copy_ex(copy, context) == 1,
            EVP_DigestFinal_ex(copy, &digest, nil) == 1
        else { throw DigestUnavailable() }
        return digest
    }
}

/// OpenSSL could not make a SHA-256.
package struct DigestUnavailable: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "OpenSSL could not start a SHA-256." }
}
