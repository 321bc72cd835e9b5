import COpenSSL
import Foundation

/// The certificate and key for a server that asks for a certificate.
///
/// It is part of a transport's key, so loads with different ones, or none, never share a connection.
struct ClientIdentity: Hashable {
    /// Differs between certificates.
    let fingerprint: Data
    /// Gives OpenSSL's context the certificate and the key; false where OpenSSL refuses them.
    let install: (OpaquePointer) -> Bool

    static func == (left: ClientIdentity, right: ClientIdentity) -> Bool {
        left.fingerprint == right.fingerprint
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fingerprint)
    }
}

/// Whether a server asked for a certificate during a handshake.
///
/// OpenSSL's context holds it, and may outlive the exchange.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class CertificateRequest {
    private(set) var wasMade = false
    /// Asked with the handshake's session before anything is shown; false ends the handshake.
    var mayShow: ((OpaquePointer) -> Bool)?
    /// The authorities whose certificates the server accepts, distinguished names in DER.
    private(set) var issuers: [Data] = []

    /// One slot in every context of the process, freed with it.
    private static let slot = copenssl_new_context_slot { _, note, _, _, _, _ in
        if let note { Unmanaged<CertificateRequest>.fromOpaque(note).release() }
    }

    private func note(_ session: OpaquePointer) {
        wasMade = true
        issuers = CertificateRequest.issuers(askedForIn: session)
    }

    /// Notes a request made in a handshake of this context, and asks `mayShow`.
    ///
    /// - Returns: false where OpenSSL has no room for the note, so that a request would go unnoticed.
    func watch(_ context: OpaquePointer) -> Bool {
        guard Self.slot >= 0 else { return false }
        let note = Unmanaged.passRetained(self)
        guard SSL_CTX_set_ex_data(context, Self.slot, note.toOpaque()) == 1 else {
            note.release()
            return false
        }
        // OpenSSL calls it once the server has proved that it has its certificate's key.
        SSL_CTX_set_cert_cb(
            context,
            { session, _ in
                guard let session, let context = SSL_get_SSL_CTX(session),
                    let note = SSL_CTX_get_ex_data(context, CertificateRequest.slot)
                else { return 0 }
                let request = Unmanaged<CertificateRequest>.fromOpaque(note).takeUnretainedValue()
                request.note(session)
                return request.mayShow?(session) == true ? 1 : 0
            }, nil)
        return true
    }

    private static func issuers(askedForIn session: OpaquePointer) -> [Data] {
        let names = SSL_get0_peer_CA_list(session)
        return (0..<max(OPENSSL_sk_num(names), 0)).compactMap { index in
            var bytes: UnsafePointer<UInt8>?
            var count = 0
            guard let name = OPENSSL_sk_value(names, index),
                X509_NAME_get0_der(OpaquePointer(name), &bytes, &count) == 1, let bytes
            else { return nil }
            return Data(bytes: bytes, count: count)
        }
    }
}
