import Foundation
import HTTPSemantics

// Before each request: what lies in the connection, and whether the delegate lets the request go out.

extension Transfer {
    func mayRequest(on ends: ConnectionEnds, from localAddress: String) -> Bool {
        guard state.isWithLibcurl, let easy, !leaves(beforeRequest: sent.requests == 0) else {
            return false
        }
        tunnel = nil
        let socket = transport.descriptors.connection(with: ends)
        if let socket { easy.connection = transport.descriptors.number(of: socket) }
        let session = easy.openSSL
        use(SecureConnection.of(session))
        switch action(before: easy, socket: socket, session) {
        case .send: break
        case .useNewConnection:
            interruption = .newConnection
            return false
        case .refuse(let fault):
            interruption = .failure(fault.urlError(request.url))
            return false
        }
        sent.requests += 1
        divideTimes()
        notice(ends, from: localAddress, session)
        trace?.willSend(
            on: socket, ends, after: reception.head, request.fields,
            handshake: measured.times.secureStart)
        let held = reception.held
        if let refusal = held == nil ? repetitionRefusal : held.flatMap(passOver) {
            interruption = .failure(refusal)
            return false
        }
        guard state.isWithLibcurl else { return false }
        didMove()
        guard load?.transferMaySendRequest(self) == true else { return false }
        // The delegate may have suspended the connection.
        guard !leaves(beforeRequest: sent.requests == 1) else { return false }
        tls.connection?.carries(for: easy)
        // The delegate's call may have lasted, which is not the server's idleness.
        load?.noteActivity()
        measured.times.sends(at: MonotonicClock.now)
        return state.isWithLibcurl
    }

    private func action(
        before easy: CurlEasyHandle, socket: Int32?, _ session: OpaquePointer?
    ) -> UnsolicitedBytes.Action {
        let isMidway = reception.held != nil
        if isTaken(session, from: easy) {
            return isMidway
                ? .refuse(ResponseFault("The connection was given to another request."))
                : .useNewConnection
        }
        return UnsolicitedBytes.action(
            before: easy, socket: socket, in: tls.connection, isMidway: isMidway)
    }

    /// Whether another exchange is on the connection, which HTTP/1.1 cannot share. libcurl 7.88.1 has all
    /// connections to a host shared once one status line of it says HTTP/2, whatever TLS agreed on.
    /// (Without TLS an option keeps it from that; see `useHTTP1`.)
    private func isTaken(_ session: OpaquePointer?, from easy: CurlEasyHandle) -> Bool {
        guard let session, !tls.speaksHTTP2,
            let other = tls.connection?.user as? CurlEasyHandle, other !== easy
        else { return false }
        // libcurl says none for an exchange that is done with its connection.
        return other.openSSL == session
    }

    /// libcurl answers the challenge; the next head is another one.
    private func passOver(_ head: ResponseHead) -> URLError? {
        reception.beginAgain()
        load?.takeCookies(of: head)
        let limit = request.authentication?.requestLimit ?? 0
        guard sent.requests > limit + (request.proxyAuthentication?.requestLimit ?? 0) else {
            return nil
        }
        return URLError(
            .userAuthenticationRequired, url: request.url,
            text: "The server asked for the same credentials again and again; check them.")
    }

    /// Whether the server closed a kept connection of HTTP/2 and answered nothing. libcurl 7.88.1 repeats
    /// such a request of HTTP/1.1 alone.
    func wasRefused(with result: CurlCode) -> Bool {
        let isClosed = [.http2, .sendError, .receiveError].contains(result)
        return isClosed && interruption == nil && state == .exchanging && tls.speaksHTTP2
            && reception.isAtStart && sent.requests > 0 && easy?.connectionsMade == 0
    }

    /// Sends the request again on a new connection.
    ///
    /// - Returns: false where the method or the body does not allow that.
    func startsAgain() -> Bool {
        guard request.isIdempotent else {
            interruption = .failure(closedConnection)
            return false
        }
        guard body == nil || beginBodyAgain(), state.isWithLibcurl else { return false }
        interruption = .newConnection
        return apply(.startAgain)
    }

    /// What becomes of the exchange where the server refuses the request's Expect: it begins anew without it
    /// (RFC 9110 section 10.1.1). Nil where the head is the response.
    ///
    /// libcurl would drop the response's body and repeat the request with the field, on a connection on which the
    /// server may wait for the body.
    func refusalOfExpectation(_ head: ResponseHead) -> Interruption? {
        guard head.statusCode == 417, let load, !load.omitsExpectation,
            request.hasField("Expect"), let body, body.length != sent.total + sent.unreported
        else { return nil }
        divideTimes()
        load.takeCookies(of: head)
        // First, since a late answer about a new stream has the request prepared anew.
        load.omitsExpectation = true
        guard beginBodyAgain() else {
            return .failure(
                URLError(
                    .requestBodyStreamExhausted, url: request.url,
                    text: "The server refuses the request's Expect (417) when part of the body was "
                        + "sent, and that cannot be sent once more."))
        }
        reception.beginAgain()
        sent.requests = 0
        return .expectation
    }

    /// Why libcurl must not repeat the request. It does so, whatever the method, where a kept
    /// connection turns out dead.
    private var repetitionRefusal: URLError? {
        guard sent.requests > 1, !request.isIdempotent else { return nil }
        return closedConnection
    }

    private var closedConnection: URLError {
        URLError(
            .networkConnectionLost, url: request.url,
            text: "The server closed the kept connection. A \(request.method) is sent again only "
                + "with a retryPolicy that has an idempotencyKeyField.")
    }
}

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
