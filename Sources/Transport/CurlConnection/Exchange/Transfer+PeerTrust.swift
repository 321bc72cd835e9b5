import Foundation
import HTTPSemantics

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
        guard state.isWithLibcurl, !rests(beforeRequest: sent.requests == 0),
            load?.transfer(self, mayShowCertificateTo: trust) == true
        else { return false }
        tls.accept(trust, on: connection)
        return true
    }

    /// Why an exchange failed whose end libcurl 7.88.1 takes for a success; nil where it did not.
    var lostEnd: URLError? {
        guard tls.speaksHTTP2, let connection = tls.connection, let head = reception.head,
            head.announcedLength == nil, request.method != "HEAD",
            wasGivenUp(connection) || wasReset(on: connection)
        else { return nil }
        return URLError(
            .networkConnectionLost, url: request.url,
            text: "The response's body broke off before its end.")
    }

    /// Where nghttp2 gives a connection up, because of a frame that breaks the protocol, libcurl ends its streams as if
    /// they had ended well. nghttp2 says so to the server, and no more after that. libcurl closes the
    /// connection when the last of its streams has ended.
    private func wasGivenUp(_ connection: SecureConnection) -> Bool {
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

    /// Whether nobody on the way can have cut the response short. Where only the end of the connection
    /// ends the body, TLS must have ended with its close_notify alert.
    var isEndVouchedFor: Bool {
        guard request.isSecure, reception.head?.endsWithConnection == true else { return true }
        return tls.connection?.hasGoodbye == true
    }
}
