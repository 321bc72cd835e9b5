import Foundation
import FoundationNetworking
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

    @inline(__always)
    func notice(_ line: UnsafeRawBufferPointer) {
        measured.times.receivedHead += Int64(line.count)
        // The time of the drive, in which the socket was seen to be readable.
        if measured.times.responseStart == 0 { measured.times.responds(at: transport.now) }
    }

    func note(received count: Int) {
        measured.times.receivedBody += Int64(count)
        if let rate = request.options.receiveRate {
            receivePace.moved(Int64(count), at: rate, now: transport.limitTime)
        }
    }

    /// A request that was sent already is sent again, to answer a challenge, without its Expect, or because a kept
    /// connection was dead: what follows is another exchange.
    func divideTimes() {
        guard measured.times.requestStart > 0 else { return }
        endTimes()
        measured = measured.next()
        connectingSince = nil
    }

    /// The exchange is over, with its transfer or because libcurl follows it by another: nothing more is noted of it.
    func endTimes() {
        if measured.times.end == 0 { measured.times.ended(at: MonotonicClock.now) }
        if let easy { measured.times.count(sent: easy.requestBytes) }
        measured.head = reception.head
        if let load { load.measurement.add(measured, to: load.currentRequest) }
    }
}

// The time limits. The transfer checks them, not libcurl.

extension Transfer {
    /// The next moment of the transport's clock at which `checkTimeouts` has something to do.
    var nextTimeoutCheck: UInt64? {
        let next = min(
            idleDeadline ?? .max, discardDeadline ?? .max,
            min(request.deadline ?? .max, connectDeadline ?? .max))
        return next == .max ? nil : next
    }

    private var discardDeadline: UInt64? { state == .discarding ? discarding.deadline : nil }

    /// Until the request goes out on a connection.
    private var connectDeadline: UInt64? {
        guard measured.times.requestStart == 0, state.isWithLibcurl || state == .lookingUp else {
            return nil
        }
        return connectEnd
    }

    private var connectEnd: UInt64? {
        guard let limit = request.options.connectLimit, let since = connectingSince else {
            return nil
        }
        return MonotonicClock.nanoseconds(limit).map { clamping(since, plus: $0) }
    }

    /// Sets the time that is left for a connection. Of this libcurl gives each address of a host half of what those
    /// before it have left, and the last of a family all of it.
    func limitConnecting(_ easy: CurlEasyHandle) throws(CurlError) {
        // libcurl goes by the system's clock.
        guard !transport.clock.isTurnable else { return }
        let now = transport.clock.nanoseconds
        var left = MonotonicClock.nanoseconds(request.idleLimit) ?? .max
        for end in [request.deadline, connectEnd] {
            if let end { left = min(left, end - min(end, now)) }
        }
        guard left < .max else { return }
        try easy.set(
            .connectTimeoutMilliseconds, to: Int(min(left / 1_000_000 + 1, UInt64(Int32.max))))
    }

    /// The error where libcurl's time for a connection is over because that of a limit is; nil where it is not.
    var limitError: URLError? {
        guard let next = nextTimeoutCheck, next < transport.clock.nanoseconds + 100_000_000 else {
            return nil
        }
        return passedLimit(at: next).map(timeoutError)
    }

    /// Begins the time for a connection, where it has not begun.
    func noteConnecting() {
        guard connectingSince == nil, request.options.connectLimit != nil else { return }
        connectingSince = transport.clock.nanoseconds
        transport.scheduleTimeoutCheck(of: self)
    }

    /// What a limit for the rate has libcurl wait for is not the server's idleness.
    private var idleDeadline: UInt64? {
        guard state.isIdlenessLimited, takes(.idleLimit), let load, !load.waitsWithoutLimit else {
            return nil
        }
        let since = max(load.lastActivity, receivePace.owedUntil, sendPace.owedUntil)
        return MonotonicClock.nanoseconds(request.idleLimit).map { clamping(since, plus: $0) }
    }

    /// Ends the exchange where a limit has passed.
    func checkTimeouts(at now: UInt64) {
        if let idleDeadline, idleDeadline <= now { load?.askAtIdleLimit() }
        if let discardDeadline, discardDeadline <= now, request.deadline ?? .max > now {
            apply(.complete)
        } else if let limit = passedLimit(at: now) {
            apply(.abort, timeoutError(limit))
        }
    }

    private func passedLimit(at now: UInt64) -> String? {
        if let deadline = request.deadline, deadline <= now {
            return "The limit for the whole transfer has passed."
        }
        if let connectDeadline, connectDeadline <= now {
            return "There was no connection within the limit (configuration.connectTimeout)."
        }
        if let idleDeadline, idleDeadline <= now {
            return "Nothing was received or sent for \(request.idleLimit) seconds."
        }
        return nil
    }

    private func timeoutError(_ text: String) -> URLError {
        URLError(.timedOut, url: request.url, text: text)
    }
}

/// How long a limit for the rate may keep libcurl from looking for more, in one direction.
///
/// libcurl takes or gives at once what the socket has, which may be megabytes, and then nothing until the average
/// fits. It begins its average anew now and then; this sum is never less than what follows from that.
struct RatePace {
    /// When the average fits at the latest, by the clock of limits.
    private(set) var owedUntil: UInt64 = 0

    /// - Parameter rate: bytes a second; libcurl is given at least 1.
    mutating func moved(_ bytes: Int64, at rate: Int64, now: UInt64) {
        let seconds = min(Double(bytes) / Double(max(1, rate)), 1e9)
        owedUntil = clamping(max(owedUntil, now), plus: UInt64(seconds * 1e9))
    }
}

/// A moment and a span; the last moment where the sum is too large.
func clamping(_ moment: UInt64, plus span: UInt64) -> UInt64 {
    let (sum, isTooLarge) = moment.addingReportingOverflow(span)
    return isTooLarge ? .max : sum
}
