import COpenSSL
import Foundation

/// TLS on one accepted descriptor that does not block.
///
/// The connection owns the descriptor and closes it. A send that was blocked must be repeated with
/// the same bytes; more bytes may follow them.
///
/// ## Concurrency
/// Used on the loop's thread alone.
final class TLSSession {
    /// The most bytes of plain text in one record (RFC 8446 section 5.1).
    static let recordLength = 16_384

    private let pointer: OpaquePointer?
    /// No call may follow one that failed.
    private var isBroken = false
    private var hasSentCloseNotify = false
    /// Whether the last call was blocked because it must write first, not because it needs bytes to read.
    private(set) var wantsWrite = false

    init(_ context: TLSContext, descriptor: Int32) {
        pointer = SSL_new(context.pointer)
        isBroken = pointer == nil || SSL_set_fd(pointer, descriptor) != 1
    }

    deinit {
        SSL_free(pointer)
    }

    /// Continues the handshake; `.moved` when it is complete.
    func continueHandshake() -> Transfer {
        run { SSL_accept($0) }
    }

    func receive(_ room: UnsafeMutableRawBufferPointer) -> Transfer {
        run { SSL_read($0, room.baseAddress, Int32(room.count)) }
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        run { SSL_write($0, bytes.baseAddress, Int32(min(bytes.count, Self.recordLength))) }
    }

    /// Sends a close_notify alert (RFC 8446 section 6.1), once.
    func sendCloseNotify() -> Transfer {
        if hasSentCloseNotify { return .moved(0) }
        let result = run {
            guard SSL_is_init_finished($0) == 1 else { return 1 }
            // 0 means that the peer has not sent one; the server does not wait for it.
            let result = SSL_shutdown($0)
            return result == 0 ? 1 : result
        }
        if case .moved = result { hasSentCloseNotify = true }
        return result
    }

    /// Whether OpenSSL holds decrypted bytes; `poll` reports nothing for them.
    var hasPending: Bool { !isBroken && SSL_pending(pointer) > 0 }

    private func run(_ call: (OpaquePointer) -> Int32) -> Transfer {
        guard let pointer, !isBroken else { return .ended }
        ERR_clear_error()
        let result = call(pointer)
        wantsWrite = false
        if result > 0 { return .moved(Int(result)) }
        switch SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ:
            return .blocked
        case SSL_ERROR_WANT_WRITE:
            wantsWrite = true
            return .blocked
        case SSL_ERROR_ZERO_RETURN:
            return .ended
        default:
            isBroken = true
            return .ended
        }
    }

    // MARK: What was negotiated

    func handshake(connection: Int) -> RecordedHandshake {
        RecordedHandshake(
            connection: connection, version: text(SSL_get_version(pointer)) ?? "",
            isResumed: SSL_session_reused(pointer) == 1,
            serverName: text(SSL_get_servername(pointer, TLSEXT_NAMETYPE_host_name)),
            applicationProtocol: applicationProtocol, clientSubject: clientSubject)
    }

    private func text(_ bytes: UnsafePointer<CChar>?) -> String? {
        bytes.map { String(cString: $0) }
    }

    private var applicationProtocol: String? {
        var bytes: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(pointer, &bytes, &count)
        return bytes.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
        }
    }

    private var clientSubject: String? {
        guard let certificate = SSL_get0_peer_certificate(pointer),
            let memory = BIO_new(BIO_s_mem())
        else { return nil }
        defer { BIO_free(memory) }
        X509_NAME_print_ex(memory, X509_get_subject_name(certificate), 0, copenssl_one_line)
        var line = [UInt8](repeating: 0, count: 1_024)
        let count = BIO_read(memory, &line, Int32(line.count))
        return String(decoding: line.prefix(Int(max(count, 0))), as: UTF8.self)
    }
}

/// One completed TLS handshake, as the server saw it.
public struct RecordedHandshake: Sendable, Equatable {
    /// The connection; the first accepted one is 1.
    public let connection: Int
    /// The version that was negotiated, for example `TLSv1.3`.
    public let version: String
    /// Whether the client resumed a session.
    public let isResumed: Bool
    /// The host that the client named (RFC 6066 section 3); nil when it named none.
    public let serverName: String?
    /// The application protocol that was negotiated (RFC 7301); nil when the client did not offer `http/1.1`.
    public let applicationProtocol: String?
    /// The subject of the client's certificate in one line, for example `CN = client`.
    public let clientSubject: String?
}
