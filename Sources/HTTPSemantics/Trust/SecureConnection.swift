import COpenSSL

/// What is known of one TLS connection: what the server showed, whether it was accepted, what lies in
/// it unread.
///
/// It lies in OpenSSL's object for the connection and goes with it, so it is never taken for another
/// connection's. What was read of the server's certificates counts for one host and exactly the
/// certificates that the object holds now: a handshake that was repeated, or another host, is read
/// anew. Whether the server is trusted is asked for each request all the same.
///
/// ## Concurrency
/// Call from: the thread whose connection it is. Lock: none.
package final class SecureConnection {
    /// OpenSSL's object; nil once that is gone.
    private var session: OpaquePointer?
    /// What the server showed, as it was read last.
    private var shown: ServerTrust?
    /// What the server showed when a request, or a client certificate, was allowed to go to it.
    private var accepted: ServerTrust?
    /// Whether a request was allowed to go out on it.
    package private(set) var hasCarried = false
    /// The connection to an HTTPS proxy that it runs through.
    package var outer: SecureConnection?
    /// Whether the peer has said that it sends no more (RFC 8446 section 6.1), which nobody on the
    /// way can say in its place.
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

    /// The one of OpenSSL's object, the same each time; nil where there is no TLS, or no memory.
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

    /// Notes the goodbyes of this context's connections as they come: libcurl clears OpenSSL's own
    /// note before it gives a connection up.
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

    /// A request, or a client certificate, may go to the server as it was read last.
    package func accept() {
        accepted = shown
    }

    /// Whether the server still shows what it was accepted for; false in the first handshake.
    package var isAccepted: Bool {
        guard let accepted, !accepted.certificates.isEmpty, let session,
            let chain = SSL_get_peer_cert_chain(session)
        else { return false }
        return accepted.isShown(in: chain) || accepted.certificates == Certificate.all(in: chain)
    }

    // MARK: Bytes

    /// A request may go out on it.
    package func carries() {
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
    /// Whether the list holds these very objects of OpenSSL's. Each is kept alive here, so none of
    /// another certificate can lie at its address, and none is ever changed.
    fileprivate func isShown(in chain: OpaquePointer) -> Bool {
        guard OPENSSL_sk_num(chain) == certificates.count else { return false }
        return certificates.indices.allSatisfy {
            OPENSSL_sk_value(chain, Int32($0)).map { OpaquePointer($0) }
                == certificates[$0].parsed.pointer
        }
    }
}
