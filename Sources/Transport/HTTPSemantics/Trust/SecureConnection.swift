import COpenSSL
import EventRecorder

/// The state of one TLS connection: the server's certificates, whether they were accepted, and
/// whether decrypted bytes are unread.
///
/// OpenSSL's object for the connection owns it, so it is never mistaken for another connection's.
/// The certificates that were read are valid for one host and for exactly the certificates that the
/// object has now; after a repeated handshake, or for another host, they are read again. The
/// server's trust is judged again at each request.
///
/// ## Concurrency
/// Call from: the connection's own thread. Lock: none.
package final class SecureConnection {
    /// Nil once OpenSSL has freed it.
    private var session: OpaquePointer?
    /// The server's certificates when they were last read.
    private var lastTrust: ServerTrust?
    /// The server's certificates when a request, or a client certificate, was last allowed.
    private var accepted: ServerTrust?
    /// Whether a request was ever allowed on the connection.
    package private(set) var hasCarried = false
    /// Whose request was last allowed on the connection.
    package private(set) weak var user: AnyObject?
    /// The connection to the HTTPS proxy that this one is tunnelled through.
    package var outer: SecureConnection?
    /// Whether the peer has sent close_notify (RFC 8446 section 6.1), which an attacker cannot
    /// forge.
    package private(set) var hasGoodbye = false
    /// Whether the last record sent is HTTP/2's GOAWAY (RFC 9113 section 6.8), judging by its size.
    package private(set) var farewell = Farewell.none
    /// Whether a body was sent that is larger than HTTP/2's first window, so parts of it are sent
    /// at any time.
    private var hasLargeBody = false
    /// The content length of the record received last.
    private var received = 0
    /// When a record of the size of one RST_STREAM (RFC 9113 section 6.4) was last received, in
    /// nanoseconds of the monotonic clock.
    package private(set) var latestReset: UInt64 = 0
    /// When a record was last received that may contain the end of a stream: one that has neither that size nor the size of a
    /// PRIORITY, SETTINGS or PING frame.
    package private(set) var latestContent: UInt64 = 0
    /// Whether a part of a request is about to be sent, and nothing was received since.
    private var isAsking = false
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

    /// The value that belongs to an OpenSSL object, always the same; nil where there is no TLS, or
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
    /// OpenSSL's own flag before it closes a connection.
    package static func noteGoodbyes(in context: OpaquePointer) {
        SSL_CTX_set_info_callback(context) { session, event, alert in
            guard event == SSL_CB_ALERT | SSL_CB_READ, alert & 0xFF == SSL_AD_CLOSE_NOTIFY else {
                return
            }
            SecureConnection.of(session)?.hasGoodbye = true
        }
    }

    /// Records the sizes of this context's TLS records, because libcurl 7.88.1 does not report how
    /// an HTTP/2 stream has ended.
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

    /// In TLS 1.3 the record's type follows its header, which says only that it is encrypted.
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

    /// The least bytes that a TLS 1.2 record has besides its content.
    private lazy var overhead: Int = {
        let name = SSL_CIPHER_get_name(SSL_get_current_cipher(session)).map { String(cString: $0) }
        return name?.contains("GCM") == true ? 24 : 16
    }()

    // MARK: The server

    /// - Returns: a trust without certificates where they cannot be read.
    package func trust(of host: String) -> ServerTrust {
        guard let session, let chain = SSL_get_peer_cert_chain(session) else {
            return ServerTrust(host: host, certificates: [])
        }
        if let lastTrust, lastTrust.host == host, lastTrust.hasCertificates(of: chain) {
            return lastTrust
        }
        let trust = ServerTrust(host: host, certificates: Certificate.all(in: chain))
        lastTrust = trust
        return trust
    }

    /// Allows a request, or a client certificate, to be sent to the server whose certificates were
    /// read last.
    package func accept() {
        accepted = lastTrust
    }

    /// Whether the server's certificates are still those that were accepted; false during the first
    /// handshake.
    package var isAccepted: Bool {
        guard let accepted, !accepted.certificates.isEmpty, let session,
            let chain = SSL_get_peer_cert_chain(session)
        else { return false }
        return accepted.hasCertificates(of: chain)
            || accepted.certificates == Certificate.all(in: chain)
    }

    // MARK: Bytes

    /// Call before a part of a request is sent.
    ///
    /// - Parameter isLarge: whether the body is, or may be, larger than 65,535 bytes.
    package func asks(isLarge: Bool) {
        isAsking = true
        if isLarge { hasLargeBody = true }
    }

    package func carries(for user: AnyObject) {
        self.user = user
        hasCarried = true
        isAsking = true
        accept()
    }

    /// Whether OpenSSL has decrypted bytes that were not read.
    package var hasUnread: Bool {
        guard let session else { return false }
        return SSL_pending(session) > 0 || SSL_has_pending(session) == 1
            || outer?.hasUnread == true
    }

    package var speaksHTTP2: Bool {
        guard let session else { return false }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }
}

/// Whether a record that was sent unprompted is HTTP/2's GOAWAY, judging by its size.
package enum Farewell: Sendable {
    case none, maybe, surely

    /// GOAWAY has 17 bytes and a reason, which nghttp2 keeps short. WINDOW_UPDATE and RST_STREAM
    /// have 13, and several are sent together; with them an acknowledgement of SETTINGS, which has
    /// 9, or answers to PING, which have 17 like the PING that was received before.
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
    /// Whether the list has exactly these OpenSSL objects. Each is retained here, so no other
    /// certificate can have its address, and none is ever changed.
    fileprivate func hasCertificates(of chain: OpaquePointer) -> Bool {
        guard OPENSSL_sk_num(chain) == certificates.count else { return false }
        return certificates.indices.allSatisfy {
            OPENSSL_sk_value(chain, Int32($0)).map { OpaquePointer($0) }
                == certificates[$0].pointer
        }
    }
}
