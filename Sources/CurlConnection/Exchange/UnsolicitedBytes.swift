import Foundation
import HTTPSemantics

/// What lies in a connection before a request goes out on it.
///
/// An answer that came before its question belongs to nobody (RFC 9112 section 9.2 allows closing
/// such a connection); libcurl 7.88.1 takes it for the answer of the next request. It may lie in the
/// kernel's buffer, and decrypted in OpenSSL's: a record of TLS is read as a whole. What libcurl
/// itself has read behind the end of a body it throws away, or it closes the connection.
enum UnsolicitedBytes: Equatable {
    case none, some
    /// The peer has closed its side, or the socket has failed.
    case end

    /// What to do with the request that was about to go out.
    enum Action: Equatable {
        case send
        /// Nothing of it was sent, so any method may go out on another connection, a new one.
        case useNewConnection
        case refuse(AnswerFault)
    }

    /// What to do before a request, asked in libcurl's pre-request callback.
    ///
    /// Frames of HTTP/2 come at any time, and each names the request it is for; libcurl's nghttp2
    /// ends a connection on which one names a request that was not sent.
    ///
    /// - Parameters:
    ///   - socket: the connection's; nil where it is not known, and nothing can be seen in it.
    ///   - secure: the connection's TLS.
    ///   - isMidway: the request answers a challenge, so that it cannot begin again elsewhere.
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
    ///   - mayHoldTickets: on a TLS connection that has carried no request bytes may come first.
    func action(isKept: Bool, mayHoldTickets: Bool, isMidway: Bool = false) -> Action {
        switch self {
        case .none: .send
        case .some where !mayHoldTickets && (isMidway || !isKept):
            .refuse(AnswerFault("The server spoke before it was asked."))
        case .some, .end: isKept ? .useNewConnection : .send
        }
    }

    /// Looks without taking anything.
    static func inSocket(_ socket: Int32) -> UnsolicitedBytes {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 { return .some }
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
            ? .none : .end
    }
}
