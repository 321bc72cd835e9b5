import Foundation
import HTTPSemantics

/// Bytes that lie in a connection before a request is sent on it.
///
/// Such bytes are no response to anything (RFC 9112 section 9.2 allows closing the connection), but
/// libcurl 7.88.1 takes them for the response to the next request. They may lie in the kernel's buffer
/// or, decrypted, in OpenSSL's, which reads a TLS record as a whole. What libcurl itself has read behind
/// the end of a body it drops, or it closes the connection.
enum UnsolicitedBytes: Equatable {
    case none, some
    /// The peer has closed its side, or the socket has failed.
    case end

    /// What to do with the request that was about to go out.
    enum Action: Equatable {
        case send
        /// Nothing of the request was sent, so any method may be sent on a new connection.
        case useNewConnection
        case refuse(ResponseFault)
    }

    /// What to do before a request, asked in libcurl's pre-request callback.
    ///
    /// HTTP/2 frames come at any time, and each names its request. nghttp2 ends a connection on which a
    /// frame names a request that was not sent.
    ///
    /// - Parameters:
    ///   - socket: the connection's; nil where it is not known, and then it is not looked into.
    ///   - secure: the connection's TLS.
    ///   - isMidway: the request answers a challenge, so it cannot move to another connection.
    static func action(
        before request: CurlEasyHandle, socket: Int32?, in secure: SecureConnection?,
        isMidway: Bool
    ) -> Action {
        if secure?.speaksHTTP2 == true { return .send }
        let isUnread = secure?.hasUnread == true
        let found = isUnread ? UnsolicitedBytes.some : socket.map(inSocket) ?? UnsolicitedBytes.none
        return found.action(
            isKept: request.connectionsMade == 0,
            mayHoldTickets: secure?.hasCarried == false, isMidway: isMidway)
    }

    /// - Parameters:
    ///   - isKept: the connection was made for another exchange.
    ///   - mayHoldTickets: the server may have sent TLS session tickets, which come before the first
    ///     request.
    func action(isKept: Bool, mayHoldTickets: Bool, isMidway: Bool = false) -> Action {
        switch self {
        case .none: .send
        case .some where !mayHoldTickets && (isMidway || !isKept):
            .refuse(ResponseFault("The server spoke before it was asked."))
        case .some, .end: isKept ? .useNewConnection : .send
        }
    }

    /// Looks into a socket without reading.
    static func inSocket(_ socket: Int32) -> UnsolicitedBytes {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 { return .some }
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
            ? .none : .end
    }
}
