import COpenSSL
import Foundation
import Locking

/// The settings as OpenSSL's `SSL_CTX`, for all connections of one server.
///
/// ## Concurrency
/// Call from: any thread. Lock: OpenSSL's own inside the context. Calls out on: nothing.
final class TLSContext: Sendable {
    private let owner: OwnedPointer
    var pointer: OpaquePointer { owner.pointer }

    init(_ settings: TLSSettings) throws(LoopbackServerError) {
        guard let made = SSL_CTX_new(TLS_server_method()) else { throw .tls("SSL_CTX_new") }
        owner = OwnedPointer(made, free: SSL_CTX_free)
        try setUpVersions(settings)
        try setUpIdentity(settings)
        try setUpClients(settings)
        SSL_CTX_set_alpn_select_cb(pointer, Self.chooseProtocol, nil)
    }

    private func setUpVersions(_ settings: TLSSettings) throws(LoopbackServerError) {
        let lowest = settings.lowest?.rawValue ?? 0
        let highest = settings.highest?.rawValue ?? 0
        guard SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, lowest, nil) == 1,
            SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, highest, nil) == 1
        else { throw .tls("versions") }
        guard SSL_CTX_set_cipher_list(pointer, settings.ciphers) == 1 else {
            throw .tls("ciphers \(settings.ciphers)")
        }
        // A write may be partial, and may be repeated from another address.
        let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(mode), nil)
    }

    private func setUpIdentity(_ settings: TLSSettings) throws(LoopbackServerError) {
        let own = try Self.parsed(settings.identity.der)
        defer { X509_free(own) }
        guard SSL_CTX_use_certificate(pointer, own) == 1,
            SSL_CTX_use_PrivateKey(pointer, settings.identity.key) == 1
        else { throw .tls("certificate or key") }
        for der in settings.chain {
            let certificate = try Self.parsed(der)
            defer { X509_free(certificate) }
            // 1: the context takes its own reference.
            let raw = UnsafeMutableRawPointer(certificate)
            guard SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, raw) == 1 else {
                throw .tls("chain")
            }
        }
    }

    private func setUpClients(_ settings: TLSSettings) throws(LoopbackServerError) {
        // OpenSSL resumes a session with a client's certificate only with this identifier.
        SSL_CTX_set_session_id_context(pointer, "loopback", 8)
        if !settings.resumes {
            SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
            SSL_CTX_set_options(pointer, copenssl_no_ticket)
            SSL_CTX_set_num_tickets(pointer, 0)
        }
        for der in settings.clientAuthorities {
            let certificate = try Self.parsed(der)
            defer { X509_free(certificate) }
            guard X509_STORE_add_cert(SSL_CTX_get_cert_store(pointer), certificate) == 1,
                SSL_CTX_add_client_CA(pointer, certificate) == 1
            else { throw .tls("client authority") }
        }
        let accepts: SSL_verify_cb? = settings.clientAuthorities.isEmpty ? { _, _ in 1 } : nil
        switch settings.clientCertificate {
        case .unwanted: break
        case .asked: SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, accepts)
        case .demanded:
            let mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
            SSL_CTX_set_verify(pointer, mode, accepts)
        }
    }

    private static func parsed(_ der: Data) throws(LoopbackServerError) -> OpaquePointer {
        let parsed = der.withUnsafeBytes { bytes in
            var next = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_X509(nil, &next, bytes.count)
        }
        guard let parsed else { throw .tls("bytes that are no certificate") }
        return parsed
    }

    /// Chooses `http/1.1` from the client's ALPN list; without it no protocol is negotiated.
    private static let chooseProtocol: SSL_CTX_alpn_select_cb_func = {
        _, chosen, length, offered, count, _ in
        guard let offered else { return SSL_TLSEXT_ERR_NOACK }
        let list = UnsafeBufferPointer(start: offered, count: Int(count))
        var place = 0
        while place < list.count, place + 1 + Int(list[place]) <= list.count {
            let name = list[(place + 1)..<(place + 1 + Int(list[place]))]
            if name.elementsEqual("http/1.1".utf8) {
                chosen?.pointee = offered + place + 1
                length?.pointee = UInt8(name.count)
                return SSL_TLSEXT_ERR_OK
            }
            place += 1 + name.count
        }
        return SSL_TLSEXT_ERR_NOACK
    }
}
