import COpenSSL

/// What a server showed on a connection, read from OpenSSL once and kept with the connection.
///
/// It lies in OpenSSL's object for the connection and goes with it, so it is never taken for what
/// another connection showed. It counts for one host and exactly the certificates that the object
/// holds now: a handshake that was repeated, or another host, is read anew. Whether the server is
/// trusted is no part of it; that is asked for each request.
///
/// ## Concurrency
/// Call from: the thread whose connection it is. Lock: none.
enum ShownTrust {
    private static let slot = copenssl_new_session_slot { _, trust, _, _, _, _ in
        if let trust { Unmanaged<ServerTrust>.fromOpaque(trust).release() }
    }

    /// - Returns: a trust without certificates when there is no way to read them.
    static func trust(of host: String, shownIn session: OpaquePointer?) -> ServerTrust {
        guard let session, let chain = SSL_get_peer_cert_chain(session) else {
            return ServerTrust(host: host, certificates: [])
        }
        if let known = known(in: session), known.host == host, known.isShown(in: chain) {
            return known
        }
        let trust = ServerTrust(host: host, certificates: Certificate.all(in: chain))
        keep(trust, in: session)
        return trust
    }

    private static func known(in session: OpaquePointer) -> ServerTrust? {
        guard slot >= 0, let known = SSL_get_ex_data(session, slot) else { return nil }
        return Unmanaged<ServerTrust>.fromOpaque(known).takeUnretainedValue()
    }

    /// Where OpenSSL has no room for it, the next request reads the certificates again.
    private static func keep(_ trust: ServerTrust, in session: OpaquePointer) {
        guard slot >= 0 else { return }
        let old = SSL_get_ex_data(session, slot).map { Unmanaged<ServerTrust>.fromOpaque($0) }
        let new = Unmanaged.passRetained(trust)
        let isKept = SSL_set_ex_data(session, slot, new.toOpaque()) == 1
        (isKept ? old : new)?.release()
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
