import Foundation
import FoundationNetworking

/// What one load measures: its start and end, and its exchanges as they end.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct LoadMeasurement {
    var metrics = RequestMetrics()
    /// When the load turned to the exchange under way.
    private(set) var fetchStart: UInt64 = 0
    /// The answer of the cache that is being delivered.
    private var served: Served?
    /// Whether the delegate was told, or is being told.
    private var isTold = false

    private struct Served {
        let head: ResponseHead
        let request: URLRequest
        let url: URL
        let isDecoded: Bool
        var times: ExchangeTimes
    }

    mutating func starts(at now: UInt64) {
        metrics.instants.started = now
        metrics.readClock(at: now)
    }

    /// The cache is asked for a request, or it is sent.
    mutating func turnsToNext() {
        fetchStart = MonotonicClock.now
    }

    mutating func add(
        _ times: ExchangeTimes, _ request: URLRequest, _ head: ResponseHead?,
        of sent: TransferRequest
    ) {
        metrics.transactionMetrics.append(
            TransactionMetrics(
                request, to: sent.url, head, isDecoded: sent.isDecoded, isProxy: sent.proxy != nil,
                from: .networkLoad, times, metrics.clock))
        fetchStart = 0
    }

    /// The cache answers. An exchange that waited for a connection meanwhile is part of that answer.
    mutating func serves(
        _ head: ResponseHead, to request: URLRequest, at url: URL, isDecoded: Bool
    ) {
        let now = MonotonicClock.now
        var times = ExchangeTimes()
        times.fetchStart = fetchStart > 0 ? fetchStart : now
        if let last = metrics.transactionMetrics.last, fetchStart == 0, !last.times.hasLeftLine {
            metrics.transactionMetrics.removeLast()
            times.fetchStart = last.times.fetchStart
        }
        times.sends(at: times.fetchStart)
        times.responds(at: now)
        served = Served(
            head: head, request: request, url: url, isDecoded: isDecoded, times: times)
        fetchStart = 0
    }

    /// - Returns: whether the delegate has not been told before.
    mutating func tells() -> Bool {
        guard !isTold else { return false }
        ends()
        isTold = true
        return true
    }

    /// The load is over; its first end counts.
    mutating func ends() {
        guard metrics.instants.started > 0, metrics.instants.responseCompleted == 0 else { return }
        let now = MonotonicClock.now
        metrics.instants.responseCompleted = now
        guard var served else { return }
        self.served = nil
        served.times.ended(at: now)
        metrics.transactionMetrics.append(
            TransactionMetrics(
                served.request, to: served.url, served.head, isDecoded: served.isDecoded,
                isProxy: false, from: .localCache, served.times, metrics.clock))
    }
}
