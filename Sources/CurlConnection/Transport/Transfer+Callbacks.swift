import CCurl
import Foundation
import HTTPSemantics

// What libcurl calls, and how it is told whom to call.

extension Transfer {
    func prepare(_ easy: CurlEasyHandle, sockets: UnsafeMutableRawPointer) throws {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try easy.apply(request)
        try easy.set(CURLOPT_PRIVATE, to: context)
        try easy.set(CURLOPT_FRESH_CONNECT, to: needsNewConnection)
        needsNewConnection = false
        try easy.set(CURLOPT_CLOSESOCKETDATA, to: sockets)
        try easy.setCloseSocket(closeSocket)
        try easy.setOpenSocket()
        try easy.set(CURLOPT_SOCKOPTDATA, to: sockets)
        try easy.setNewSocket(adoptSocket)
        try prepareLookUp(easy, context)
        try easy.set(CURLOPT_PREREQDATA, to: context)
        try easy.setPrerequest { context, address, _, port, localPort in
            Transfer.from(context)?.prerequest(address, port, localPort) ?? 1
        }
        try easy.set(CURLOPT_HEADERDATA, to: context)
        try easy.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Transfer.from(context)?.header(
                UnsafeRawBufferPointer(start: bytes, count: size * count))
                ?? 0
        }
        try easy.set(CURLOPT_WRITEDATA, to: context)
        try easy.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.from(context)?.receive(
                UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        if request.isSecure {
            try easy.set(CURLOPT_SSL_CTX_DATA, to: context)
            try easy.setTLSContext { _, tls, context in
                guard let tls, let transfer = Transfer.from(context) else {
                    return CURLE_SSL_CONNECT_ERROR
                }
                return transfer.setUp(tls: OpaquePointer(tls))
                    ? CURLE_OK : CURLE_SSL_CERTPROBLEM
            }
        }
        if body != nil {
            try easy.set(CURLOPT_READDATA, to: context)
            try easy.set(CURLOPT_READFUNCTION) { bytes, size, count, context in
                Transfer.from(context)?.send(
                    UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
                    ?? Int(ccurl_read_abort)
            }
            try easy.set(CURLOPT_SEEKDATA, to: context)
            try easy.setSeek { context, offset, _ in
                Transfer.from(context)?.rewind(to: Int64(offset)) ?? CURL_SEEKFUNC_FAIL
            }
        }
        self.easy = easy
    }

    private func prepareLookUp(
        _ easy: CurlEasyHandle, _ context: UnsafeMutableRawPointer
    ) throws(CurlError) {
        try easy.set(CURLOPT_RESOLVER_START_DATA, to: context)
        try easy.setLookUp { _, _, context in Transfer.from(context)?.mayLookUp() == true ? 0 : 1 }
        // `HostResolver` remembers; libcurl would look through all that it knows after each exchange.
        // By SOCKS the server's address is needed once the proxy has answered, which may take long.
        let isSOCKS = request.proxy.map { !$0.kind.isHTTP } ?? false
        try easy.set(CURLOPT_DNS_CACHE_TIMEOUT, to: isSOCKS ? 60 : 2)
        guard !lookUp.entries.isEmpty else { return }
        let addresses = CurlStringList()
        for entry in lookUp.entries { try addresses.append(entry) }
        try easy.set(addresses: addresses)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    var isRunning: Bool {
        if case .running = phase { return true }
        return false
    }

    func prerequest(
        _ address: UnsafePointer<CChar>?, _ port: Int32, _ localPort: Int32
    ) -> Int32 {
        guard isRunning, let easy else { return CURL_PREREQFUNC_ABORT }
        let ends = ConnectionEnds(
            localPort: localPort, remotePort: port,
            remoteAddress: address.map { String(cString: $0) } ?? "")
        let socket = transport.socket(with: ends)
        use(SecureConnection.of(easy.openSSL))
        switch EarlyBytes.action(
            before: easy, socket: socket, in: secure, isMidway: heldHead != nil)
        {
        case .send: break
        case .useNewConnection:
            needsNewConnection = true
            return CURL_PREREQFUNC_ABORT
        case .refuse(let fault):
            failure = fault.urlError(request.url)
            return CURL_PREREQFUNC_ABORT
        }
        requestsSent += 1
        trace?.willSend(self, on: socket, ends)
        if let head = heldHead {
            // libcurl answers the challenge; the next head is another one.
            heldHead = nil
            delegate?.transfer(self, didPassOver: head)
            guard isRunning else { return CURL_PREREQFUNC_ABORT }
            parser = ResponseHeadParser()
            rules = HeadRules(limit: request.limits.head)
            let limit = request.authentication?.requestLimit ?? 0
            if requestsSent > limit + (request.proxyAuthentication?.requestLimit ?? 0) {
                failure = URLError(
                    .userAuthenticationRequired, url: request.url,
                    text: "Asked for the same credentials again and again.")
                return CURL_PREREQFUNC_ABORT
            }
        } else if requestsSent > 1, !request.isIdempotent {
            // libcurl repeats a request whose kept connection turned out dead, whatever its method.
            failure = URLError(
                .networkConnectionLost, url: request.url,
                text: "The kept connection was closed; a \(request.method) is not repeated unasked."
            )
            return CURL_PREREQFUNC_ABORT
        }
        didMove()
        guard delegate?.transferMaySendRequest(self) == true else { return CURL_PREREQFUNC_ABORT }
        secure?.carries()
        // Who was asked may have taken his time; that is not the server's idleness.
        lastActivity = MonotonicClock.now
        return isRunning ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}

/// Called by libcurl for each socket it opens for a connection.
private func adoptSocket(
    _ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ purpose: curlsocktype
) -> Int32 {
    if let context {
        Unmanaged<DescriptorSet>.fromOpaque(context).takeUnretainedValue().adopt(socket)
    }
    return Int32(CURL_SOCKOPT_OK)
}

/// Called by libcurl for each socket it closes; the set must forget it first.
private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    if let context {
        Unmanaged<DescriptorSet>.fromOpaque(context).takeUnretainedValue().forget(socket)
    }
    return close(socket)
}
