import COpenSSL
import Locking

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
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * kind.length)
        for byte in try bytes() {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
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

/// Calls OpenSSL until the process exits.
///
/// ## Concurrency
/// Call from: any thread. Lock: none. Calls out on: the caller's thread.
enum OpenSSLGate {
    /// Sets OpenSSL to keep its tables at exit. That is too late where other code called it before:
    /// then its exit handler is already registered, and runs after the gate's.
    private static let isPrepared: Void = {
        copenssl_stay_through_exit()
        ExitGate.closeAtExit()
    }()

    /// Calls the block unless the process is exiting.
    ///
    /// - Returns: nil where the process is exiting.
    @discardableResult
    static func whileOpen<Result>(_ body: () throws -> Result) rethrows -> Result? {
        try ExitGate.whileOpen {
            _ = isPrepared
            return try body()
        }
    }
}
