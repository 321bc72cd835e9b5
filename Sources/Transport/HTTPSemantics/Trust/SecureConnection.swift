import COpenSSL
import EventRecorder

/// What is known of one TLS connection: the server's certificates, whether they were accepted, and
/// whether bytes wait unread in it.
///
/// OpenSSL's object for the connection owns it, so it is never mistaken for another connection's.
/// The certificates that were read count for one host and for exactly the certificates that the
/// object holds now. After a repeated handshake, or for another host, they are read again. Whether
/// the server is trusted is judged at each request all the same.
///
/// ## Concurrency
/// Call from: the connection's own thread. Lock: none.
package final class SecureConnection {
    /// OpenSSL's object; nil once it has been freed.
    private var session: OpaquePointer?
    /// The server's certificates, as they were read last.
    private var shown: ServerTrust?
    /// The server's certificates at the time a request, or a client certificate, was allowed to be
    /// sent.
    private var accepted: ServerTrust?
    /// Whether a request was allowed to be sent on it.
    package private(set) var hasCarried = false
    /// Whose request was allowed to be sent on it last.
    package private(set) weak var user: AnyObject?
    /// The connection to an HTTPS proxy that it runs through.
    package var outer: SecureConnection?
    /// Whether the peer has sent close_notify (RFC 8446 section 6.1), which nobody between can
    /// forge.
    package private(set) var hasGoodbye = false
    /// Whether what was sent on it last is the frame by which HTTP/2 gives a connection up (GOAWAY, RFC 9113
    /// section 6.8), by its size.
    package private(set) var farewell = Farewell.none
    /// A body was sent on it that is larger than HTTP/2's first window, so that parts of it go out at any time.
    private var hasLargeBody = false
    /// What the record received last has, without its wrapper.
    private var received = 0
    /// When a record came last that has the size of one RST_STREAM (RFC 9113 section 6.4), by the monotonic clock
    /// in nanoseconds.
    package private(set) var latestReset: UInt64 = 0
    /// The same of one that may hold the end of a stream: neither that size nor that of one PRIORITY, SETTINGS or
    /// PING.
    package private(set) var latestContent: UInt64 = 0
    /// A part of a request is about to be sent, and nothing was received since.
    private var isAsking = false
    /// The length of the record that is being sent or received.
    private var recordLength = 0

    private static let slot = copenssl_new_session_slot { _, connection, _, _, _, _ in
        guard let connection else { return }
        let known = Unmanaged<SecureConnection>.fromOpaque(connection)
        known.takeUnretainedValue().session = nil
        known.release()
    }

    private init(_ session: OpaquePointer) {
        self.session = session
    }

    /// The value that belongs to OpenSSL's object, always the same; nil where there is no TLS, or
    /// no memory.
    package static func of(_ session: OpaquePointer?) -> SecureConnection? {
        guard let session, slot >= 0 else { return nil }
        if let known = SSL_get_ex_data(session, slot) {
            return Unmanaged<SecureConnection>.fromOpaque(known).takeUnretainedValue()
        }
        let new = SecureConnection(session)
        let kept = Unmanaged.passRetained(new)
        guard SSL_set_ex_data(session, slot, kept.toOpaque()) == 1 else {
            kept.release()
            return nil
        }
        return new
    }

    /// Records close_notify on this context's connections when it arrives, because libcurl clears
    /// OpenSSL's own flag before it gives a connection up.
    package static func noteGoodbyes(in context: OpaquePointer) {
        SSL_CTX_set_info_callback(context) { session, event, alert in
            guard event == SSL_CB_ALERT | SSL_CB_READ, alert & 0xFF == SSL_AD_CLOSE_NOTIFY else {
                return
            }
            SecureConnection.of(session)?.hasGoodbye = true
        }
    }

    /// Records the sizes of what goes over this context's connections, because libcurl 7.88.1 does not tell how
    /// a stream of HTTP/2 has ended.
    package static func noteRecords(in context: OpaquePointer) {
        SSL_CTX_set_msg_callback(context) { isSent, _, type, start, count, session, _ in
            guard type == SSL3_RT_HEADER || type == SSL3_RT_INNER_CONTENT_TYPE,
                let known = SecureConnection.of(session)
            else { return }
            known.note(
                UnsafeRawBufferPointer(start: start, count: count),
                isHeader: type == SSL3_RT_HEADER, isSent: isSent != 0)
        }
    }

    /// In TLS 1.3 the type of a record follows its header, which says only that it is encrypted.
    private func note(_ bytes: UnsafeRawBufferPointer, isHeader: Bool, isSent: Bool) {
        guard let session, let type = bytes.first else { return }
        let isLater = SSL_version(session) >= TLS1_3_VERSION
        if isHeader, bytes.count >= 5 { recordLength = Int(bytes[3]) << 8 | Int(bytes[4]) }
        guard isHeader != isLater, Int32(type) == SSL3_RT_APPLICATION_DATA else { return }
        let count = recordLength - (isLater ? 17 : overhead)
        if isSent {
            farewell = isAsking || hasLargeBody ? .none : Farewell(count, after: received)
        } else {
            isAsking = false
            received = count
            if count == 13 {
                latestReset = EventRecorder.now
            } else if ![14, 15, 17].contains(count) {
                latestContent = EventRecorder.now
            }
        }
    }

    /// What a record of TLS 1.2 has beside its content, at least.
    private lazy var overhead: Int = {
        let name = SSL_CIPHER_get_name(SSL_get_current_cipher(session)).map { String(cString: $0) }
        return name?.contains("GCM") == true ? 24 : 16
    }()

    // MARK: The server

    /// - Returns: a trust without certificates when there is no way to read them.
    package func trust(of host: String) -> ServerTrust {
        guard let session, let chain = SSL_get_peer_cert_chain(session) else {
            return ServerTrust(host: host, certificates: [])
        }
        if let shown, shown.host == host, shown.isShown(in: chain) { return shown }
        let trust = ServerTrust(host: host, certificates: Certificate.all(in: chain))
        shown = trust
        return trust
    }

    /// A request, or a client certificate, may be sent to the server whose certificates were read
    /// last.
    package func accept() {
        accepted = shown
    }

    /// Whether the server's certificates are still those that were accepted; false in the first
    /// handshake.
    package var isAccepted: Bool {
        guard let accepted, !accepted.certificates.isEmpty, let session,
            let chain = SSL_get_peer_cert_chain(session)
        else { return false }
        return accepted.isShown(in: chain) || accepted.certificates == Certificate.all(in: chain)
    }

    // MARK: Bytes

    /// A part of a request is about to be sent.
    ///
    /// - Parameter isLarge: of a body that is larger than 65,535 bytes, or may be.
    package func asks(isLarge: Bool) {
        isAsking = true
        if isLarge { hasLargeBody = true }
    }

    /// A request may be sent on it.
    package func carries(for user: AnyObject) {
        self.user = user
        hasCarried = true
        isAsking = true
        accept()
    }

    /// Whether OpenSSL holds bytes that nobody has read.
    package var hasUnread: Bool {
        guard let session else { return false }
        return SSL_pending(session) > 0 || SSL_has_pending(session) == 1
            || outer?.hasUnread == true
    }

    /// Whether both sides have agreed on HTTP/2.
    package var speaksHTTP2: Bool {
        guard let session else { return false }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }
}

/// Whether a record that was sent of its own accord is HTTP/2's GOAWAY, as far as its size tells.
package enum Farewell: Sendable {
    case none, maybe, surely

    /// GOAWAY has 17 bytes and a reason, which nghttp2 keeps short. WINDOW_UPDATE and RST_STREAM have 13, and several go
    /// out together; with them an acknowledgement of SETTINGS, which has 9, or answers to PING, which have
    /// 17 like the PING that was received before.
    package init(_ count: Int, after received: Int) {
        self =
            switch count {
            case 26, ..<17: .none
            case 17: received < 17 ? .surely : .maybe
            case 145...: .maybe
            default: [0, 4, 8, 9].contains(count % 13) ? .maybe : .surely
            }
    }
}

extension ServerTrust {
    /// Whether the list holds these very objects of OpenSSL's. Each is kept alive here, so no other
    /// certificate can have its address, and none is ever changed.
    fileprivate func isShown(in chain: OpaquePointer) -> Bool {
        guard OPENSSL_sk_num(chain) == certificates.count else { return false }
        return certificates.indices.allSatisfy {
            OPENSSL_sk_value(chain, Int32($0)).map { OpaquePointer($0) }
                == certificates[$0].parsed.pointer
        }
    }
}
