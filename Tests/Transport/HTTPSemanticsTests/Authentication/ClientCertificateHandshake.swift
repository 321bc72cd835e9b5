import COpenSSL
import Foundation

@testable import HTTPSemantics
@testable import TLSPeer

/// A TLS handshake in memory with a server that asks for a client certificate.
struct ClientCertificateHandshake {
    /// The certificates the server was shown; nil when the handshake failed.
    private(set) var shown: [Data]?

    /// - Parameter version: the highest that the client speaks.
    init(
        with server: Identity, version: Int32, _ credential: ClientCertificateCredential?
    ) throws {
        guard let near = SSL_CTX_new(TLS_server_method()),
            let far = SSL_CTX_new(TLS_client_method())
        else { throw TLSPeerError("SSL_CTX_new") }
        defer {
            SSL_CTX_free(near)
            SSL_CTX_free(far)
        }
        let certificate = server.certificate
        let isTaken = withExtendedLifetime(certificate) {
            SSL_CTX_use_cert_and_key(near, certificate.pointer, server.key, nil, 1) == 1
        }
        guard isTaken else { throw TLSPeerError("SSL_CTX_use_cert_and_key") }
        SSL_CTX_set_verify(
            near, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, { _, _ in 1 })
        SSL_CTX_ctrl(far, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        if let credential, !credential.install(in: far) {
            throw TLSPeerError("install")
        }
        try talk(near, far)
    }

    private mutating func talk(_ near: OpaquePointer, _ far: OpaquePointer) throws {
        guard let server = SSL_new(near), let client = SSL_new(far) else {
            throw TLSPeerError("SSL_new")
        }
        defer {
            SSL_free(server)
            SSL_free(client)
            ERR_clear_error()
        }
        var serverEnd: OpaquePointer?
        var clientEnd: OpaquePointer?
        guard BIO_new_bio_pair(&serverEnd, 65_536, &clientEnd, 65_536) == 1 else {
            throw TLSPeerError("BIO_new_bio_pair")
        }
        SSL_set_bio(server, serverEnd, serverEnd)
        SSL_set_bio(client, clientEnd, clientEnd)
        SSL_set_accept_state(server)
        SSL_set_connect_state(client)
        var isDone = false
        for _ in 0..<20 where !isDone {
            let client = SSL_do_handshake(client)
            isDone = SSL_do_handshake(server) == 1 && client == 1
        }
        guard isDone, let leaf = SSL_get0_peer_certificate(server) else { return }
        let others = SSL_get_peer_cert_chain(server)
        let pointers = (0..<max(OPENSSL_sk_num(others), 0)).compactMap { index in
            OPENSSL_sk_value(others, index).map { OpaquePointer($0) }
        }
        shown = ([leaf] + pointers).compactMap { Certificate(sharing: $0)?.der }
    }
}
