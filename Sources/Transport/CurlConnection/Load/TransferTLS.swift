import COpenSSL
import Foundation
import FoundationNetworking
import HTTPSemantics

/// What is known about TLS in one exchange: about the connection that its request is sent on, and about the handshakes that
/// were made for it.
struct TransferTLS {
    /// The connection on which the request is sent.
    private(set) var connection: SecureConnection?
    /// Whether client and server of that connection have agreed on HTTP/2 in the handshake. A status line that says
    /// "HTTP/2" is not believed.
    private(set) var speaksHTTP2 = false
    /// The server's request for a client certificate in the last handshake.
    private(set) var certificateRequest: CertificateRequest?
    /// Whether the delegate has accepted the server of `connection` during the handshake, and need not be called again.
    private(set) var isJudged = false
    /// The handshake with an HTTPS proxy, until the next request is sent.
    private var proxyHandshake: ProxyHandshake?
    /// The server that the delegate has accepted during a handshake, until the next request is sent.
    private var accepted: ServerTrust?

    /// Returns the server's certificates.
    ///
    /// - Returns: a trust without certificates, which every policy refuses, if they cannot be read.
    func trust(of host: String) -> ServerTrust {
        connection?.trust(of: host) ?? ServerTrust(host: host, certificates: [])
    }

    /// Prepares an OpenSSL context for a handshake: sets the client certificate, and records whether the server requests
    /// one.
    ///
    /// - Parameter mayShow: called during the handshake if the server requests a client certificate; returns whether
    ///   the handshake goes on.
    /// - Returns: false if OpenSSL has failed.
    mutating func prepare(
        _ context: OpaquePointer, showing identity: ClientIdentity?,
        mayShow: @escaping (SecureConnection) -> Bool
    ) -> Bool {
        // The only handshake that libcurl verifies is the one with an HTTPS proxy, which gets no client certificate.
        if SSL_CTX_get_verify_mode(context) == SSL_VERIFY_PEER {
            let handshake = ProxyHandshake()
            proxyHandshake = handshake
            return handshake.watch(context)
        }
        // A connection that is closed without close_notify is no error of TLS. `isEndVouchedFor` tells whether the
        // response may be incomplete then. libcurl 7.88 sets this option itself, later versions do not.
        SSL_CTX_set_options(context, copenssl_ignore_unexpected_end)
        SecureConnection.noteGoodbyes(in: context)
        SecureConnection.noteRecords(in: context)
        let request = CertificateRequest()
        certificateRequest = request
        request.mayShow = { session in SecureConnection.of(session).map(mayShow) ?? false }
        return request.watch(context) && identity?.install(context) != false
    }

    /// Records that the delegate has accepted the server. This applies to the next request on this connection, and to no
    /// other connection of the exchange.
    mutating func accept(_ trust: ServerTrust, on connection: SecureConnection) {
        connection.accept()
        accepted = trust
    }

    /// To be called before each request, with the connection on which it will be sent.
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

// The server's identity, and the end of the body, as TLS reports them.

extension Transfer {
    /// The certificates of the server to which the request is about to be sent. To be read in `transferMaySendRequest`.
    var peerTrust: ServerTrust { tls.trust(of: host) }

    private var host: String { request.url.host(percentEncoded: false) ?? "" }

    /// To be called before each request, with the connection on which it will be sent.
    func use(_ connection: SecureConnection?) {
        tls.use(connection, for: host)
    }

    func setUp(tls context: OpaquePointer) -> Bool {
        if state.isWithLibcurl { measured.times.secures(at: MonotonicClock.now) }
        return tls.prepare(context, showing: request.clientIdentity) { [weak self] connection in
            // OpenSSL may call this again on a connection that was accepted.
            connection.isAccepted || self?.mayShowCertificate(in: connection) == true
        }
    }

    /// Called during a handshake in which the server requests a client certificate.
    private func mayShowCertificate(in connection: SecureConnection) -> Bool {
        let trust = connection.trust(of: host)
        guard state.isWithLibcurl, !leaves(beforeRequest: sent.requests == 0),
            load?.transfer(self, mayShowCertificateTo: trust) == true
        else { return false }
        tls.accept(trust, on: connection)
        return true
    }

    /// The error of an incomplete HTTP/2 response that libcurl 7.88.1 reports as complete; nil if it is complete.
    var lostEnd: URLError? {
        guard tls.speaksHTTP2, let connection = tls.connection, let head = reception.head,
            head.announcedLength == nil, request.method != "HEAD",
            wasEndedByError(connection) || wasReset(on: connection)
        else { return nil }
        return URLError(
            .networkConnectionLost, url: request.url,
            text: "The response's body broke off before its end.")
    }

    /// Whether a frame that violates the protocol has ended the connection. nghttp2 sends a GOAWAY as its last frame then,
    /// and libcurl reports the responses of all streams as complete. When the last stream has ended, libcurl closes the
    /// connection.
    private func wasEndedByError(_ connection: SecureConnection) -> Bool {
        switch connection.farewell {
        case .none: false
        case .maybe: easy?.hasConnection == false
        case .surely: true
        }
    }

    /// Whether a RST_STREAM with NO_ERROR has ended the response before END_STREAM; libcurl reports it as complete.
    ///
    /// It has if it was received in this turn of the run loop, and the response's last bytes two turns ago or earlier, with
    /// nothing of it since. After an END_STREAM, libcurl would have ended the exchange in the next turn at the latest.
    private func wasReset(on connection: SecureConnection) -> Bool {
        connection.latestReset >= transport.now && connection.latestContent < reception.latest
            && reception.latest < transport.nowBefore
    }

    /// Whether the response is known to be complete. If its body ends when the connection is closed, an attacker could have
    /// closed it early, unless the server has sent TLS's close_notify alert.
    var isEndVouchedFor: Bool {
        guard request.isSecure, reception.head?.endsWithConnection == true else { return true }
        return tls.connection?.hasGoodbye == true
    }
}

/// What is found out in a handshake. OpenSSL's context retains it, and may exist longer than the exchange.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
class HandshakeWatch {
    /// One slot in every context of the process, freed with it.
    private static let slot = copenssl_new_context_slot { _, watch, _, _, _, _ in
        if let watch { Unmanaged<HandshakeWatch>.fromOpaque(watch).release() }
    }

    /// - Returns: false where OpenSSL has no slot for it, so that the handshake would go unnoticed.
    fileprivate func isKept(in context: OpaquePointer) -> Bool {
        guard Self.slot >= 0 else { return false }
        let kept = Unmanaged<HandshakeWatch>.passRetained(self)
        guard SSL_CTX_set_ex_data(context, Self.slot, kept.toOpaque()) == 1 else {
            kept.release()
            return false
        }
        return true
    }

    fileprivate static func of(_ session: OpaquePointer) -> HandshakeWatch? {
        SSL_get_SSL_CTX(session).flatMap { SSL_CTX_get_ex_data($0, slot) }.map {
            Unmanaged<HandshakeWatch>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

/// Finds the TLS connection to an HTTPS proxy, to which libcurl offers no access where the server's TLS is inside it.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class ProxyHandshake: HandshakeWatch {
    /// Set when the handshake has succeeded.
    private(set) var connection: SecureConnection?

    /// Has `connection` set once this context's handshake is done.
    ///
    /// - Returns: false where that is not possible.
    func watch(_ context: OpaquePointer) -> Bool {
        guard isKept(in: context) else { return false }
        SSL_CTX_set_info_callback(context) { session, event, _ in
            guard event & SSL_CB_HANDSHAKE_DONE != 0, let session else { return }
            let handshake = HandshakeWatch.of(session) as? ProxyHandshake
            handshake?.connection = SecureConnection.of(session)
        }
        return true
    }
}

/// Whether a server asked for a client certificate during a handshake.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none. Calls out on: that thread, inside OpenSSL.
final class CertificateRequest: HandshakeWatch {
    private(set) var wasMade = false
    /// The authorities whose certificates the server accepts, distinguished names in DER.
    private(set) var issuers: [Data] = []
    /// Asked with the handshake's session before anything is shown; false ends the handshake.
    fileprivate var mayShow: ((OpaquePointer) -> Bool)?

    /// Notes a request made in a handshake of this context, and asks `mayShow`.
    ///
    /// - Returns: false where that is not possible.
    func watch(_ context: OpaquePointer) -> Bool {
        guard isKept(in: context) else { return false }
        // OpenSSL calls it once the server has proved that it has its certificate's key, since RSA as key exchange, where
        // that comes later, is not offered.
        SSL_CTX_set_cert_cb(
            context,
            { session, _ in
                guard let session, let request = HandshakeWatch.of(session) as? CertificateRequest
                else { return 0 }
                request.wasMade = true
                request.issuers = CertificateRequest.issuers(askedForIn: session)
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
