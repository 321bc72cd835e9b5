import COpenSSL
import HTTPSemantics

/// Finds the TLS connection to an HTTPS proxy, to which libcurl offers no access where the server's TLS is inside
/// it.
///
/// OpenSSL's context retains it, and may exist longer than the exchange.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class ProxyHandshake {
    /// Set when the handshake has succeeded.
    private(set) var connection: SecureConnection?

    /// One slot in every context of the process, freed with it.
    private static let slot = copenssl_new_context_slot { _, handshake, _, _, _, _ in
        if let handshake { Unmanaged<ProxyHandshake>.fromOpaque(handshake).release() }
    }

    /// Has `connection` set once this context's handshake is done.
    ///
    /// - Returns: false where OpenSSL's context has no slot for it: unsolicited bytes would not be noticed.
    func watch(_ context: OpaquePointer) -> Bool {
        guard Self.slot >= 0 else { return false }
        let kept = Unmanaged.passRetained(self)
        guard SSL_CTX_set_ex_data(context, Self.slot, kept.toOpaque()) == 1 else {
            kept.release()
            return false
        }
        SSL_CTX_set_info_callback(context) { session, event, _ in
            guard event & SSL_CB_HANDSHAKE_DONE != 0, let session,
                let context = SSL_get_SSL_CTX(session),
                let known = SSL_CTX_get_ex_data(context, ProxyHandshake.slot)
            else { return }
            let handshake = Unmanaged<ProxyHandshake>.fromOpaque(known).takeUnretainedValue()
            handshake.connection = SecureConnection.of(session)
        }
        return true
    }
}
