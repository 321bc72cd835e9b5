import Foundation
import FoundationNetworking

/// What one load measures: its start and end, and its exchanges as they end.
struct LoadMeasurement {
    var metrics = RequestMetrics()
    /// When the load turned to its next exchange; 0 from the end of one until `turnsToNext`.
    private(set) var fetchStart: UInt64 = 0
    /// The answer of the cache that is being delivered.
    private var served: MeasuredExchange?
    /// Whether the delegate has the times, or is being given them.
    private(set) var wasGiven = false

    /// Whether an exchange, or the load, has ended.
    var hasResult: Bool { !metrics.isEmpty || metrics.instants.responseCompleted > 0 }

    mutating func starts(at now: UInt64) {
        metrics.instants.started = now
        fetchStart = now
        metrics.readClock(at: now)
    }

    /// The load begins when the run loop calls, so its first exchange starts later than the load.
    mutating func startsLate() {
        fetchStart = 0
    }

    /// The cache is asked for a request, or it is sent.
    mutating func turnsToNext() {
        if fetchStart == 0 { fetchStart = MonotonicClock.now }
    }

    /// - Parameters:
    ///   - exchange: is over.
    ///   - request: the exchange's, without the load's own fields; it may not have been sent.
    mutating func add(_ exchange: MeasuredExchange, to request: URLRequest) {
        exchange.request = request
        metrics.add(TransactionMetrics(exchange, from: .networkLoad, metrics.clock))
        fetchStart = 0
    }

    /// The cache answers. An exchange that waited for a connection meanwhile is part of that answer.
    mutating func serves(
        _ head: ResponseHead, to request: URLRequest, isDecoded: Bool
    ) {
        let now = MonotonicClock.now
        let exchange = MeasuredExchange(isDecoded: isDecoded, isProxy: false)
        exchange.head = head
        var times = ExchangeTimes()
        times.fetchStart = fetchStart > 0 ? fetchStart : now
        if let last = metrics.last, fetchStart == 0, !last.times.hasLeftQueue {
            metrics.removeLast()
            times.fetchStart = last.times.fetchStart
        }
        times.sends(at: times.fetchStart)
        times.responds(at: now)
        exchange.times = times
        exchange.request = request
        served = exchange
        fetchStart = 0
    }

    /// - Returns: whether the delegate has not been given the times before.
    mutating func beginsGiving() -> Bool {
        guard !wasGiven else { return false }
        ends()
        wasGiven = true
        return true
    }

    /// The load is over; its first end counts.
    mutating func ends() {
        guard metrics.instants.started > 0, metrics.instants.responseCompleted == 0 else { return }
        let now = MonotonicClock.now
        metrics.instants.responseCompleted = now
        guard let exchange = served else { return }
        served = nil
        exchange.times.ended(at: now)
        metrics.add(TransactionMetrics(exchange, from: .localCache, metrics.clock))
    }
}

/// How many bytes a response's body has: before decoding and without the framing of chunks, or as it is stored.
struct ReceivedCounts {
    /// As the head announces, or as given where no exchange brings the body; 0 for HEAD, 204 and 304; -1: unknown.
    private(set) var expected: Int64 = -1
    private var ended: Int64 = 0

    init() {}

    /// Counts for a stored or a local response, or a protocol class's; its length may be unknown (-1).
    init(whole count: Int) {
        (expected, ended) = (Int64(count), Int64(max(0, count)))
    }

    /// A piece of such a response was read. Pieces count only where the length is unknown.
    mutating func read(_ count: Int) {
        if expected < 0 { ended += Int64(count) }
    }

    mutating func expect(_ head: ResponseHead, to method: String?) {
        ended = 0
        expected = method == "HEAD" ? 0 : head.announcedLength ?? -1
    }

    /// What was received so far; of a response that no exchange brings, its whole length where that is known.
    ///
    /// - Parameter exchange: the bytes received in the exchange under way; nil where there is none.
    func received(_ exchange: Int64?) -> Int64 { exchange ?? ended }

    mutating func end(_ exchange: Int64?) {
        ended = received(exchange)
    }
}
