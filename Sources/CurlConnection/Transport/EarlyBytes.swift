import CCurl
import COpenSSL
import Foundation

/// What lies in a connection before a request goes out on it.
///
/// An answer that came before its question belongs to nobody (RFC 9112 section 9.2 allows closing
/// such a connection); libcurl 7.88.1 takes it for the answer of the next request.
enum EarlyBytes: Equatable {
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
    /// - Parameter socket: the connection's; nil where it is not known, and nothing can be seen.
    static func action(before request: CurlEasyHandle, socket: Int32?) -> Action {
        guard let socket else { return .send }
        let session = request.openSSL
        if let session, speaksHTTP2(session) { return .send }
        return inSocket(socket).action(
            isKept: request.long(CURLINFO_NUM_CONNECTS) == 0, isSecure: session != nil)
    }

    /// - Parameters:
    ///   - isKept: the connection has carried a request before.
    ///   - isSecure: on a new TLS connection bytes may come first, such as tickets.
    func action(isKept: Bool, isSecure: Bool) -> Action {
        switch self {
        case .none: .send
        case .some where !isKept && !isSecure:
            .refuse(AnswerFault("The server spoke before it was asked."))
        case .some, .end: isKept ? .useNewConnection : .send
        }
    }

    /// Frames of HTTP/2 come at any time, and each names the request it is for.
    private static func speaksHTTP2(_ session: OpaquePointer) -> Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    /// Looks without taking anything.
    static func inSocket(_ socket: Int32) -> EarlyBytes {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 { return .some }
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
            ? .none : .end
    }
}
