import HTTPSemantics

// What the callbacks note of times and bytes.

extension Transfer {
    func connects() {
        divideTimes()
        times.connects(at: MonotonicClock.now)
    }

    /// A request is about to be sent on a connection.
    ///
    /// - Parameter session: OpenSSL's object for the connection.
    func notice(_ ends: ConnectionEnds, from localAddress: String, _ session: OpaquePointer?) {
        if times.isConnecting { times.connected(at: MonotonicClock.now) }
        times.ends = ends
        times.localAddress = localAddress
        if request.isSecure, let session { times.protection = TLSFacts(of: session) }
    }

    /// A line of a head was received.
    func notice(_ line: UnsafeRawBufferPointer) {
        times.receivedHead += Int64(line.count)
        if times.responseStart == 0 { times.responds(at: MonotonicClock.now) }
    }

    /// libcurl repeats a request that was sent already, to answer a challenge or because a kept connection
    /// was dead: what follows is another exchange.
    func divideTimes() {
        guard times.requestStart > 0 else { return }
        let now = MonotonicClock.now
        endTimes(at: now)
        times = times.next(at: now)
    }

    func endTimes(at now: UInt64 = MonotonicClock.now) {
        times.ended(at: now)
        if let easy { times.count(sent: easy.requestBytes) }
        delegate?.transfer(self, didMeasure: times, reception.head)
    }
}
