import COpenSSL
import Foundation
import Locking

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

    /// Calls the block, and removes the errors that it left in the thread's queue of OpenSSL's
    /// errors, which libcurl reads too.
    ///
    /// - Parameter closed: the result where the process is exiting.
    static func discardingErrors<Result>(
        atExit closed: @autoclosure () -> Result, _ body: () -> Result
    ) -> Result {
        let result = whileOpen {
            ERR_set_mark()
            defer { ERR_pop_to_mark() }
            return body()
        }
        return result ?? closed()
    }
}

/// OpenSSL's objects as Swift's values.
enum OpenSSLValue {
    /// The one object that the bytes encode; nil for anything else, also with trailing bytes.
    static func whole<Owner>(
        der: Data, _ read: (inout UnsafePointer<UInt8>?, Int) -> Owner?
    ) -> Owner? {
        der.withUnsafeBytes { bytes in
            var next = bytes.bindMemory(to: UInt8.self).baseAddress
            guard let end = next.map({ $0 + bytes.count }),
                let owner = OpenSSLGate.discardingErrors(
                    atExit: nil, { read(&next, bytes.count) }), next == end
            else { return nil }
            return owner
        }
    }

    /// Every object of a PEM text that `read` looks for, in order; nil when one is broken.
    ///
    /// - Parameter read: reads one more object from the text. It passes OpenSSL a password
    ///   callback, since OpenSSL would otherwise ask on the terminal.
    static func all<Owner>(pem: Data, _ read: (OpaquePointer) -> Owner?) -> [Owner]? {
        pem.withUnsafeBytes { bytes -> [Owner]? in
            guard bytes.count <= Int(Int32.max) else { return nil }
            return OpenSSLGate.discardingErrors(atExit: nil) {
                guard let text = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                    return bytes.isEmpty ? [] : nil
                }
                defer { BIO_free(text) }
                var owners: [Owner] = []
                while let next = read(text) {
                    owners.append(next)
                }
                let reason = ERR_peek_last_error() & 0x7F_FFFF
                return reason == UInt(PEM_R_NO_START_LINE) ? owners : nil
            }
        }
    }

    /// Calls OpenSSL twice, first for the length and then for the bytes.
    static func der(
        _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> Data? {
        OpenSSLGate.discardingErrors(atExit: nil) {
            let length = Int(write(nil))
            guard length > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: length)
            let written = bytes.withUnsafeMutableBufferPointer { buffer in
                var next = buffer.baseAddress
                return Int(write(&next))
            }
            return written == length ? Data(bytes) : nil
        }
    }

    /// A date; nil when there is none, or when it cannot be read.
    static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        var parts = tm()
        guard let time, OpenSSLGate.whileOpen({ ASN1_TIME_to_tm(time, &parts) }) == 1 else {
            return nil
        }
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }

    /// A list of OpenSSL's, without references to the objects in it; the caller frees it.
    static func list(of objects: [OpaquePointer]) -> OpaquePointer? {
        let list = OPENSSL_sk_new_null()
        for object in objects { OPENSSL_sk_push(list, UnsafeRawPointer(object)) }
        return list
    }

    /// The objects in a list of OpenSSL's; none where there is no list.
    static func objects(in list: OpaquePointer?) -> [OpaquePointer] {
        (0..<max(OPENSSL_sk_num(list), 0)).compactMap { index in
            OPENSSL_sk_value(list, index).map { OpaquePointer($0) }
        }
    }
}

extension OwnedPointer {
    /// Owns an object of OpenSSL's, which stays in memory where the process is exiting.
    convenience init(
        openSSL pointer: OpaquePointer, free: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        self.init(pointer) { pointer in OpenSSLGate.whileOpen { free(pointer) } }
    }
}
