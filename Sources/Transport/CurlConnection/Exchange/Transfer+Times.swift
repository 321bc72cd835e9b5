import HTTPSemantics

// What the callbacks note of times and bytes.

extension Transfer {
    func connects() {
        guard state.isWithLibcurl else { return }
        divideTimes()
        noteConnecting()
        tunnel = request.makesTunnel ? TunnelReply(limit: request.limits.head) : nil
        measured.times.connects(at: MonotonicClock.now)
    }

    /// A request is about to be sent on a connection.
    ///
    /// - Parameter session: OpenSSL's object for the connection.
    func notice(_ ends: ConnectionEnds, from localAddress: String, _ session: OpaquePointer?) {
        if measured.times.isConnecting { measured.times.connected(at: MonotonicClock.now) }
        measured.connection = MeasuredExchange.Connection(
            ends: ends, localAddress: localAddress,
            protection: request.isSecure ? session.map(TLSFacts.init) : nil)
    }

    /// A line of a head was received.
    @inline(__always)
    func notice(_ line: UnsafeRawBufferPointer) {
        measured.times.receivedHead += Int64(line.count)
        // The loop's own time, which is at hand: then the socket was seen to be readable.
        if measured.times.responseStart == 0 { measured.times.responds(at: transport.now) }
    }

    /// Bytes of the body were taken.
    func note(received count: Int) {
        measured.times.receivedBody += Int64(count)
        if let rate = request.options.receiveRate {
            receivePace.moved(Int64(count), at: rate, now: transport.limitTime)
        }
    }

    /// libcurl repeats a request that was sent already, to answer a challenge or because a kept connection
    /// was dead: what follows is another exchange.
    func divideTimes() {
        guard measured.times.requestStart > 0 else { return }
        endTimes()
        measured = measured.next()
        connectingSince = nil
    }

    /// The exchange is over; nothing is noted of it any more.
    func endTimes() {
        if measured.times.end == 0 { measured.times.ended(at: MonotonicClock.now) }
        if let easy { measured.times.count(sent: easy.requestBytes) }
        measured.head = reception.head
        load?.transferDidMeasure(self)
    }
}
