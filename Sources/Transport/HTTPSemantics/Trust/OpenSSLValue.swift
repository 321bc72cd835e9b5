import COpenSSL
import Foundation

/// Reads and writes OpenSSL's objects as bytes, and clears the errors that OpenSSL puts in the
/// thread's queue.
enum OpenSSLValue {
    /// The one object that the bytes encode; nil for anything else, also with trailing bytes.
    static func whole<Owner>(
        der: Data, _ read: (inout UnsafePointer<UInt8>?, Int) -> Owner?
    ) -> Owner? {
        der.withUnsafeBytes { bytes in
            var next = bytes.bindMemory(to: UInt8.self).baseAddress
            guard let end = next.map({ $0 + bytes.count }),
                let owner = OpenSSLErrors.discarding(
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
            return OpenSSLErrors.discarding(atExit: nil) {
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
        OpenSSLErrors.discarding(atExit: nil) {
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
}

/// The thread's queue of OpenSSL's errors, which libcurl reads too.
enum OpenSSLErrors {
    /// Runs a call, perhaps the process's first into OpenSSL, and clears the errors that it left in
    /// the queue.
    ///
    /// - Parameter closed: the result while the process is exiting, when OpenSSL is no longer
    ///   called.
    static func discarding<Result>(
        atExit closed: @autoclosure () -> Result, _ body: () -> Result
    ) -> Result {
        let result = OpenSSLGate.whileOpen {
            ERR_set_mark()
            defer { ERR_pop_to_mark() }
            return body()
        }
        return result ?? closed()
    }
}
