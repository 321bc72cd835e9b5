import COpenSSL
import Foundation
import LoopbackServer

/// A TLS client on a blocking socket.
///
/// ## Concurrency
/// One client belongs to one thread.
final class ClientTLS {
    struct Settings {
        /// A file of PEM texts to trust; nil trusts everybody.
        var trusted: String?
        var host = "localhost"
        var highest = 0
        /// Offered application protocols, each counted by its first byte.
        var protocols = "\u{8}http/1.1"
        var identity: TLSIdentity?
        /// A session of an earlier client.
        var session: Session?
    }

    /// What lets a later client take up where this one was.
    final class Session {
        let pointer: OpaquePointer?
        init(_ pointer: OpaquePointer?) { self.pointer = pointer }
        deinit { SSL_SESSION_free(pointer) }
    }

    /// The client refused the server, or the server the client.
    struct Refused: Error, Equatable {
        /// OpenSSL's judgement of the certificate; 0 when that was good.
        let verdict: Int
    }

    private let context: OpaquePointer?
    private let pointer: OpaquePointer?
    private(set) var ending = RawClient.Ending.fin

    init(_ settings: Settings, _ descriptor: Int32) throws {
        // OpenSSL may write to a server that is gone. On this thread alone, so that a signal on the
        // server's is seen.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let context = SSL_CTX_new(TLS_client_method())
        self.context = context
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, settings.highest, nil)
        if let file = settings.trusted {
            SSL_CTX_load_verify_locations(context, file, nil)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        }
        if let identity = settings.identity {
            _ = identity.der.withUnsafeBytes {
                SSL_CTX_use_certificate_ASN1(
                    context, Int32($0.count), $0.bindMemory(to: UInt8.self).baseAddress)
            }
            SSL_CTX_use_PrivateKey(context, identity.key)
        }
        pointer = SSL_new(context)
        SSL_set_fd(pointer, descriptor)
        // SSL_set_tlsext_host_name, a macro.
        var name = Array(settings.host.utf8CString)
        SSL_ctrl(pointer, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
        SSL_set1_host(pointer, settings.host)
        SSL_set_alpn_protos(
            pointer, Array(settings.protocols.utf8), UInt32(settings.protocols.utf8.count))
        if let session = settings.session { SSL_set_session(pointer, session.pointer) }
        ERR_clear_error()
        guard SSL_connect(pointer) == 1 else {
            let verdict = SSL_get_verify_result(pointer)
            throw Refused(verdict: Int(verdict))
        }
    }

    deinit {
        SSL_free(pointer)
        SSL_CTX_free(context)
    }

    /// The session, whose tickets come with the first answer.
    var session: Session { Session(SSL_get1_session(pointer)) }

    func sayGoodbye() {
        SSL_shutdown(pointer)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        ERR_clear_error()
        return Int(SSL_write(pointer, bytes.baseAddress, Int32(min(bytes.count, 1 << 20))))
    }

    func read(_ room: UnsafeMutableRawBufferPointer) -> Int {
        ERR_clear_error()
        errno = 0
        let count = SSL_read(pointer, room.baseAddress, Int32(room.count))
        if count > 0 { return Int(count) }
        let code = errno
        switch SSL_get_error(pointer, count) {
        case SSL_ERROR_ZERO_RETURN: ending = .fin
        case SSL_ERROR_WANT_READ: ending = .timeout
        case SSL_ERROR_SYSCALL where code == ECONNRESET: ending = .reset
        default: ending = .cut
        }
        return 0
    }

    /// The first bytes of a handshake.
    static func hello() -> Data {
        let context = SSL_CTX_new(TLS_client_method())
        let pointer = SSL_new(context)
        defer {
            SSL_free(pointer)
            SSL_CTX_free(context)
        }
        let output = BIO_new(BIO_s_mem())
        SSL_set_bio(pointer, BIO_new(BIO_s_mem()), output)
        SSL_connect(pointer)
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = BIO_read(output, &bytes, Int32(bytes.count))
        return Data(bytes.prefix(Int(max(count, 0))))
    }
}
