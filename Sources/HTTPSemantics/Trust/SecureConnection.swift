import COpenSSL

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

    /// A request may be sent on it.
    package func carries(for user: AnyObject) {
        self.user = user
        hasCarried = true
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
