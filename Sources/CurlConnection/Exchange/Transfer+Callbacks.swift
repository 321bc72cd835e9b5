import Foundation
import HTTPSemantics

// What libcurl calls (`CurlExchange`), and what it is told before.

extension Transfer {
    func prepare(_ easy: CurlEasyHandle, sockets: CurlSockets) throws {
        var isFresh = false
        if case .newConnection = interruption { isFresh = true }
        interruption = nil
        try easy.apply(request)
        try easy.set(.freshConnect, to: isFresh)
        try easy.setSockets(sockets)
        try prepareLookUp(easy)
        try easy.setCallbacks(of: self, hasTLS: request.isSecure, hasBody: body != nil)
        self.easy = easy
        apply(.begin)
    }

    private func prepareLookUp(_ easy: CurlEasyHandle) throws(CurlError) {
        // `HostResolver` remembers; libcurl would look through all that it knows after each exchange.
        // By SOCKS the server's address is needed once the proxy has answered, which may take long.
        let isSOCKS = request.proxy.map { !$0.kind.isHTTP } ?? false
        try easy.set(.dnsCacheTimeout, to: isSOCKS ? 60 : 2)
        guard !lookUp.entries.isEmpty else { return }
        let addresses = CurlStringList()
        for entry in lookUp.entries { try addresses.append(entry) }
        try easy.set(addresses: addresses)
    }

    func mayRequest(on ends: ConnectionEnds) -> Bool {
        guard state.isWithLibcurl, let easy else { return false }
        let socket = transport.socket(with: ends)
        use(SecureConnection.of(easy.openSSL))
        switch UnsolicitedBytes.action(
            before: easy, socket: socket, in: tls.connection, isMidway: reception.held != nil)
        {
        case .send: break
        case .useNewConnection:
            interruption = .newConnection
            return false
        case .refuse(let fault):
            interruption = .failure(fault.urlError(request.url))
            return false
        }
        sent.requests += 1
        trace?.willSend(self, on: socket, ends)
        let held = reception.held
        if let refusal = held == nil ? repetitionRefusal : held.flatMap(passOver) {
            interruption = .failure(refusal)
            return false
        }
        guard state.isWithLibcurl else { return false }
        didMove()
        guard delegate?.transferMaySendRequest(self) == true else { return false }
        tls.connection?.carries()
        // Who was asked may have taken his time; that is not the server's idleness.
        noteActivity(at: MonotonicClock.now)
        return state.isWithLibcurl
    }

    /// libcurl answers the challenge; the next head is another one.
    private func passOver(_ head: ResponseHead) -> URLError? {
        reception.beginAgain()
        delegate?.transfer(self, didPassOver: head)
        let limit = request.authentication?.requestLimit ?? 0
        guard sent.requests > limit + (request.proxyAuthentication?.requestLimit ?? 0) else {
            return nil
        }
        return URLError(
            .userAuthenticationRequired, url: request.url,
            text: "Asked for the same credentials again and again.")
    }

    /// libcurl repeats a request whose kept connection turned out dead, whatever its method.
    private var repetitionRefusal: URLError? {
        guard sent.requests > 1, !request.isIdempotent else { return nil }
        return URLError(
            .networkConnectionLost, url: request.url,
            text: "The kept connection was closed; a \(request.method) is not repeated unasked.")
    }
}
