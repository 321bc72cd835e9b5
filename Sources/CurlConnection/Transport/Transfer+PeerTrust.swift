import COpenSSL
import Foundation

extension Transfer {
    /// What the server of a secure exchange showed, read from the connection that is about to carry
    /// the request; from inside `transferMaySendRequest`.
    ///
    /// - Returns: a trust without certificates when there is no way to read them, which nothing
    ///   accepts.
    var peerTrust: ServerTrust {
        trust(shownIn: easy?.openSSL)
    }

    func trust(shownIn session: OpaquePointer?) -> ServerTrust {
        ShownTrust.trust(of: request.url.host(percentEncoded: false) ?? "", shownIn: session)
    }

    /// Prepares OpenSSL's context for a handshake: what to show to a server that asks, or a note
    /// that it did.
    func setUp(tls context: OpaquePointer) -> Bool {
        // libcurl judges an HTTPS proxy, and only that; no proxy is shown what is for the server.
        trace?.handshakeBegins()
        if SSL_CTX_get_verify_mode(context) == SSL_VERIFY_PEER { return true }
        certificateRequest.mayShow = { [weak self] session in
            // A kept connection that is asked later was judged when it was made.
            guard let self, requestsSent == 0 else { return true }
            return mayShowCertificate(to: trust(shownIn: session))
        }
        return certificateRequest.watch(context)
            && request.clientIdentity?.install(context) != false
    }
}
