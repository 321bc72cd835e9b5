import COpenSSL
import Foundation

/// Owner of one of OpenSSL's X509 objects.
///
/// ## Concurrency
/// Call from: any thread. Lock: none here; OpenSSL's own inside the object.
final class ParsedCertificate: @unchecked Sendable {
    // @unchecked because the object is never changed after this; what OpenSSL computes late and
    // keeps in it, and the count of its owners, are under OpenSSL's lock.
    let pointer: OpaquePointer

    /// Takes the object over.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// Shares an object that somebody else owns.
    convenience init?(sharing pointer: OpaquePointer) {
        guard X509_up_ref(pointer) == 1 else { return nil }
        self.init(owning: pointer)
    }

    /// Nil when the bytes are not exactly one certificate.
    convenience init?(der: Data) {
        let pointer = OpenSSLErrors.discarding { () -> OpaquePointer? in
            der.withUnsafeBytes { bytes in
                var next = bytes.bindMemory(to: UInt8.self).baseAddress
                let end = next.map { $0 + bytes.count }
                guard let pointer = d2i_X509(nil, &next, bytes.count) else { return nil }
                guard next == end else {
                    X509_free(pointer)
                    return nil
                }
                return pointer
            }
        }
        guard let pointer else { return nil }
        self.init(owning: pointer)
    }

    deinit {
        X509_free(pointer)
    }

    /// The certificates of a PEM text; nil when one is broken.
    static func all(pem: Data) -> [ParsedCertificate]? {
        pem.withUnsafeBytes { bytes -> [ParsedCertificate]? in
            guard bytes.count <= Int(Int32.max) else { return nil }
            guard let text = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return bytes.isEmpty ? [] : nil
            }
            defer { BIO_free(text) }
            return OpenSSLErrors.discarding {
                var certificates: [ParsedCertificate] = []
                // Without a function of ours OpenSSL would ask the terminal for a password.
                while let next = PEM_read_bio_X509(text, nil, { _, _, _, _ in -1 }, nil) {
                    certificates.append(ParsedCertificate(owning: next))
                }
                let reason = ERR_peek_last_error() & 0x7F_FFFF
                return reason == UInt(PEM_R_NO_START_LINE) ? certificates : nil
            }
        }
    }

    var der: Data? {
        OpenSSLErrors.discarding { encoded { i2d_X509(pointer, $0) } }
    }

    var publicKey: Data? {
        OpenSSLErrors.discarding {
            X509_get_X509_PUBKEY(pointer).flatMap { key in encoded { i2d_X509_PUBKEY(key, $0) } }
        }
    }

    var notBefore: Date? { Self.date(X509_get0_notBefore(pointer)) }

    var notAfter: Date? { Self.date(X509_get0_notAfter(pointer)) }

    var subject: String {
        guard let text = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(text) }
        X509_NAME_print_ex(text, X509_get_subject_name(pointer), 0, copenssl_one_line)
        var line = [UInt8](repeating: 0, count: 512)
        let count = BIO_read(text, &line, Int32(line.count))
        return String(decoding: line.prefix(Int(max(count, 0))), as: UTF8.self)
    }

    /// OpenSSL writes twice: first to tell the length, then the bytes.
    private func encoded(
        _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> Data? {
        let length = Int(write(nil))
        guard length > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            return Int(write(&next))
        }
        return written == length ? Data(bytes) : nil
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }
}

/// The thread's queue of OpenSSL's errors, which libcurl reads too.
enum OpenSSLErrors {
    /// Runs a call and takes back whatever it left in the queue.
    static func discarding<Result>(_ body: () -> Result) -> Result {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return body()
    }
}
