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
            delegate?.transfer(self, mayShowCertificateTo: trust) == true
        else { return false }
        tls.accept(trust, on: connection)
        return true
    }

    /// Whether nobody on the way can have cut the response short. Where only the end of the connection
    /// ends the body, TLS must have ended with its close_notify alert.
    var isEndVouchedFor: Bool {
        guard request.isSecure, reception.head?.endsWithConnection == true else { return true }
        return tls.connection?.hasGoodbye == true
    }
}
