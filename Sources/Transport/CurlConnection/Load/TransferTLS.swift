import COpenSSL
import Foundation
import FoundationNetworking
import HTTPSemantics

/// The TLS of one exchange: of the connection that carries it, and of the handshakes made for it.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
struct TransferTLS {
    /// The connection that carries the request.
    private(set) var connection: SecureConnection?
    /// Whether that connection's sides have agreed on HTTP/2; a status line that says so means nothing.
    private(set) var speaksHTTP2 = false
    /// What the server asked for in the handshake made last.
    private(set) var certificateRequest: CertificateRequest?
    /// Whether the delegate accepted, in a handshake of this exchange, the server of the request that
    /// is about to go out.
    private(set) var isJudged = false
    /// The handshake with an HTTPS proxy, until the request that follows.
    private var proxyHandshake: ProxyHandshake?
    /// The server that the delegate accepted in a handshake, until the request that follows.
    private var accepted: ServerTrust?

    /// What the server showed.
    ///
    /// - Returns: a trust without certificates, which nothing accepts, where there is no way to read
    ///   them.
    func trust(of host: String) -> ServerTrust {
        connection?.trust(of: host) ?? ServerTrust(host: host, certificates: [])
    }

    /// Prepares OpenSSL's context for a handshake: what to show to a server that asks, or a note
    /// that it did.
    ///
    /// - Parameter mayShow: asked inside the handshake, when the server asks for a certificate.
    mutating func prepare(
        _ context: OpaquePointer, showing identity: ClientIdentity?,
        mayShow: @escaping (SecureConnection) -> Bool
    ) -> Bool {
        // libcurl verifies an HTTPS proxy and nothing else. The client certificate is not for a proxy.
        if SSL_CTX_get_verify_mode(context) == SSL_VERIFY_PEER {
            let handshake = ProxyHandshake()
            proxyHandshake = handshake
            return handshake.watch(context)
        }
        // A connection that is cut is an end, which counts where nothing but the end of the connection ends the
        // body (see `isEndVouchedFor`). libcurl 7.88 sets this itself, later ones do not.
        SSL_CTX_set_options(context, copenssl_ignore_unexpected_end)
        SecureConnection.noteGoodbyes(in: context)
        SecureConnection.noteRecords(in: context)
        let request = CertificateRequest()
        certificateRequest = request
        request.mayShow = { session in SecureConnection.of(session).map(mayShow) ?? false }
        return request.watch(context) && identity?.install(context) != false
    }

    /// The judgement counts for the request that follows on this connection, and for no other
    /// connection of the exchange.
    mutating func accept(_ trust: ServerTrust, on connection: SecureConnection) {
        connection.accept()
        accepted = trust
    }

    /// To be called before each request, with the connection that is about to carry it.
    mutating func use(_ connection: SecureConnection?, for host: String) {
        self.connection = connection
        speaksHTTP2 = connection?.speaksHTTP2 == true
        if let outer = proxyHandshake?.connection, connection?.hasCarried == false {
            connection?.outer = outer
        }
        proxyHandshake = nil
        isJudged = accepted.map { $0 === trust(of: host) } ?? false
        accepted = nil
    }
}

// The server of a secure exchange, as TLS shows it.

extension Transfer {
    /// What the server showed, read from the connection that is about to carry the request; from
    /// inside `transferMaySendRequest`.
    var peerTrust: ServerTrust { tls.trust(of: host) }

    private var host: String { request.url.host(percentEncoded: false) ?? "" }

    /// To be called before each request, on the connection that is about to carry it.
    func use(_ connection: SecureConnection?) {
        tls.use(connection, for: host)
    }

    func setUp(tls context: OpaquePointer) -> Bool {
        if state.isWithLibcurl { measured.times.secures(at: MonotonicClock.now) }
        return tls.prepare(context, showing: request.clientIdentity) { [weak self] connection in
            // OpenSSL may ask again on a connection that was accepted.
            connection.isAccepted || self?.mayShowCertificate(in: connection) == true
        }
    }

    /// From inside a handshake in which the server asks for a certificate.
    private func mayShowCertificate(in connection: SecureConnection) -> Bool {
        let trust = connection.trust(of: host)
        guard state.isWithLibcurl, !leaves(beforeRequest: sent.requests == 0),
            load?.transfer(self, mayShowCertificateTo: trust) == true
        else { return false }
        tls.accept(trust, on: connection)
        return true
    }

    /// Why an exchange failed whose end libcurl 7.88.1 takes for a success; nil where it did not.
    var lostEnd: URLError? {
        guard tls.speaksHTTP2, let connection = tls.connection, let head = reception.head,
            head.announcedLength == nil, request.method != "HEAD",
            wasEndedByError(connection) || wasReset(on: connection)
        else { return nil }
        return URLError(
            .networkConnectionLost, url: request.url,
            text: "The response's body broke off before its end.")
    }

    /// Where a frame breaks the protocol, nghttp2 ends the connection, and libcurl ends its streams as if they had ended
    /// well. A GOAWAY is the last that nghttp2 sends. When the last stream has ended, libcurl closes the connection.
    private func wasEndedByError(_ connection: SecureConnection) -> Bool {
        switch connection.farewell {
        case .none: false
        case .maybe: easy?.hasConnection == false
        case .surely: true
        }
    }

    /// libcurl takes a RST_STREAM with NO_ERROR for the end. It is one where nothing else came since the
    /// latest bytes of this response: after END_STREAM libcurl would have ended the exchange
    /// in the drive in which that came, or in the next.
    private func wasReset(on connection: SecureConnection) -> Bool {
        connection.latestReset >= transport.now && connection.latestContent < reception.latest
            && reception.latest < transport.nowBefore
    }

    /// Whether the response cannot have been cut short on its way. Where only the end of the connection
    /// ends the body, TLS must have ended with its close_notify alert.
    var isEndVouchedFor: Bool {
        guard request.isSecure, reception.head?.endsWithConnection == true else { return true }
        return tls.connection?.hasGoodbye == true
    }
}
