import COpenSSL
import Foundation
import HTTPSemantics

extension Transfer {
    /// What the server of a secure exchange showed, read from the connection that is about to carry
    /// the request; from inside `transferMaySendRequest`.
    ///
    /// - Returns: a trust without certificates when there is no way to read them, which nothing
    ///   accepts.
    var peerTrust: ServerTrust {
        secure?.trust(of: host) ?? ServerTrust(host: host, certificates: [])
    }

    private var host: String { request.url.host(percentEncoded: false) ?? "" }

    /// Prepares OpenSSL's context for a handshake: what to show to a server that asks, or a note
    /// that it did.
    func setUp(tls context: OpaquePointer) -> Bool {
        // libcurl judges an HTTPS proxy, and only that; no proxy is shown what is for the server.
        trace?.handshakeBegins()
        if SSL_CTX_get_verify_mode(context) == SSL_VERIFY_PEER {
            let handshake = ProxyHandshake()
            proxyHandshake = handshake
            return handshake.watch(context)
        }
        SecureConnection.noteGoodbyes(in: context)
        certificateRequest = CertificateRequest()
        certificateRequest.mayShow = { [weak self] session in
            guard let connection = SecureConnection.of(session) else { return false }
            // Asked again later, by whom it was accepted.
            return connection.isAccepted || self?.mayShowCertificate(in: connection) == true
        }
        return certificateRequest.watch(context)
            && request.clientIdentity?.install(context) != false
    }

    /// From inside a handshake in which the server asks for a certificate: the judgement counts for
    /// the request that follows on this connection, and for no other connection of the exchange.
    private func mayShowCertificate(in connection: SecureConnection) -> Bool {
        let trust = connection.trust(of: host)
        guard isRunning, delegate?.transfer(self, mayShowCertificateTo: trust) == true else {
            return false
        }
        connection.accept()
        acceptedInHandshake = trust
        return true
    }

    /// To be called before each request, on the connection that is about to carry it.
    func use(_ connection: SecureConnection?) {
        secure = connection
        if let outer = proxyHandshake?.connection, connection?.hasCarried == false {
            connection?.outer = outer
        }
        proxyHandshake = nil
        isJudged = acceptedInHandshake.map { $0 === peerTrust } ?? false
        acceptedInHandshake = nil
    }

    /// Whether nobody on the way can have made the answer's end: one that only the connection's end
    /// says needs TLS's own goodbye.
    var isEndVouchedFor: Bool {
        guard request.isSecure, parser.head?.endsWithConnection == true else { return true }
        return secure?.hasGoodbye == true
    }
}
