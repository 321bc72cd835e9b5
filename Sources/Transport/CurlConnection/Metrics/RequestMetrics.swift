public import Foundation
public import HTTPSemantics

/// The times of one load: of all its exchanges, those of redirects and challenges included, and of what
/// comes before and after them.
///
/// The names are those of Foundation's `URLSessionTaskMetrics` where it has them. `durations` has the parts
/// of the whole.
public struct RequestMetrics: Sendable {
    /// Instants of a load besides those of its exchanges, in nanoseconds of the monotonic clock; 0 is
    /// never.
    package struct Instants: BitwiseCopyable, Sendable {
        package var queued: UInt64 = 0
        package var started: UInt64 = 0
        package var responseCompleted: UInt64 = 0
        package var serializationStarted: UInt64 = 0
        package var serialized: UInt64 = 0
        package var calledBack: UInt64 = 0

        package init() {}
    }

    /// Most loads have one exchange, which needs no list.
    private var first: TransactionMetrics?
    private var others: [TransactionMetrics]?
    /// How many redirects were followed.
    public internal(set) var redirectCount = 0
    /// Why the request was sent again, or was not; empty without a failure, and where neither a `RetryPolicy` nor an
    /// interceptor decided.
    public private(set) var retryDecisions: [RetryDecision] = []
    package var instants = Instants()
    private(set) var clock = CalendarClock()

    package init() {}

    /// The exchanges in their order; none where the load ended before the first.
    public var transactionMetrics: [TransactionMetrics] {
        first.map { [$0] + (others ?? []) } ?? []
    }

    /// Whether no exchange has ended.
    var isEmpty: Bool { first == nil }

    var last: TransactionMetrics? { others?.last ?? first }

    mutating func add(_ transaction: TransactionMetrics) {
        guard first != nil else {
            first = transaction
            return
        }
        if others == nil { others = [] }
        others?.append(transaction)
    }

    mutating func note(_ decision: RetryDecision) {
        retryDecisions.append(decision)
    }

    mutating func removeLast() {
        if others?.popLast() == nil { first = nil }
    }

    /// Reads the wall clock, once; without it there are no dates.
    package mutating func readClock(at now: UInt64) {
        if !clock.isRead { clock = CalendarClock(at: now) }
    }

    /// Only the first serialization counts.
    package mutating func noteSerialization(from start: UInt64, to end: UInt64) {
        guard instants.serialized == 0 else { return }
        instants.serializationStarted = start
        instants.serialized = end
    }

    /// Only the first call counts.
    package mutating func noteCallback(at now: UInt64) {
        if instants.calledBack == 0 { instants.calledBack = now }
    }

    /// Adds a later run of the same load.
    package mutating func append(_ run: RequestMetrics) {
        if !clock.isRead { clock = run.clock }
        if instants.started == 0 { instants.started = run.instants.started }
        if run.instants.responseCompleted > 0 {
            instants.responseCompleted = run.instants.responseCompleted
        }
        redirectCount += run.redirectCount
        if !run.retryDecisions.isEmpty { retryDecisions += run.retryDecisions }
        if first == nil, clock.isSame(as: run.clock) {
            (first, others) = (run.first, run.others)
            return
        }
        for var transaction in run.transactionMetrics {
            // One clock for all of them, so that they keep their order.
            transaction.clock = clock
            add(transaction)
        }
    }

    // MARK: Dates

    /// When an operation was added to a queue, or became ready after that; for a caller's own queue, when that
    /// first read `isReady`. Nil without a queue.
    public var queuedDate: Date? { clock.date(of: instants.queued) }

    /// When the load was started.
    public var startDate: Date? { clock.date(of: instants.started) }

    /// When the load ended: the response was complete, or it failed, or was cancelled or paused.
    public var responseCompletedDate: Date? { clock.date(of: instants.responseCompleted) }

    /// When the response serializer began.
    public var serializationStartDate: Date? { clock.date(of: instants.serializationStarted) }

    /// When the response serializer had made its object or error.
    public var serializedDate: Date? { clock.date(of: instants.serialized) }

    /// When the completion block was called.
    public var calledBackDate: Date? { clock.date(of: instants.calledBack) }

    /// From when the load was queued, or else started, until it ended; before its end, until the last known
    /// instant.
    public var taskInterval: DateInterval {
        let start = clock.date(of: whole.lowerBound) ?? .distantPast
        let ended = max(
            instants.responseCompleted, last?.times.end ?? 0, whole.lowerBound)
        return DateInterval(start: start, end: max(start, clock.date(of: ended) ?? start))
    }

    /// From the first known instant to the last.
    var whole: ClosedRange<UInt64> {
        let known = [
            instants.queued, instants.started, first?.times.fetchStart ?? 0,
        ].filter { $0 > 0 }
        let start = known.min() ?? 0
        let end = max(
            instants.responseCompleted, last?.times.end ?? 0,
            max(instants.serialized, instants.calledBack), known.max() ?? 0)
        return start...max(start, end)
    }
}

/// How long the parts of an exchange, or of a whole load, took. They do not overlap, and their sum is
/// `total`.
public struct RequestDurations: Sendable, Hashable {
    /// In the queue until the start; pauses are in `other`.
    public internal(set) var queued = Duration.zero
    /// Until an exchange got its connection, kept or about to be made.
    public internal(set) var waitingForConnection = Duration.zero
    /// Looking up the host's name, or a proxy's.
    public internal(set) var domainLookup = Duration.zero
    /// Making the connection, a proxy's tunnel included, without TLS.
    public internal(set) var connect = Duration.zero
    /// The TLS handshake with the server.
    public internal(set) var secureConnection = Duration.zero
    /// Sending the request, until the response began where that was earlier.
    public internal(set) var request = Duration.zero
    /// From the request's last byte to the response's first.
    public internal(set) var waitingForResponse = Duration.zero
    /// From the response's first byte to its last.
    public internal(set) var response = Duration.zero
    /// In the response serializer.
    public internal(set) var serialization = Duration.zero
    /// Until the completion queue called the block.
    public internal(set) var callback = Duration.zero
    /// The rest: changes of threads, the cache, decisions of a delegate, pauses.
    public internal(set) var other = Duration.zero

    /// All of it.
    public var total: Duration { known + other }

    private var known: Duration {
        queued + waitingForConnection + domainLookup + connect + secureConnection + request
            + waitingForResponse + response + serialization + callback
    }

    init() {}

    /// Sets `other` to what is missing to a whole.
    fileprivate mutating func fill(_ whole: ClosedRange<UInt64>) {
        other = Self.span(whole.lowerBound, whole.upperBound) - known
    }

    fileprivate static func span(_ start: UInt64, _ end: UInt64) -> Duration {
        start > 0 && end > start ? .nanoseconds(Int64(clamping: end - start)) : .zero
    }

    fileprivate mutating func add(_ times: ExchangeTimes) {
        let connection = [times.lookUpStart, times.connectStart, times.requestStart, times.end]
        waitingForConnection += Self.span(
            times.fetchStart, connection.first { $0 > 0 } ?? times.fetchStart)
        domainLookup += Self.span(times.lookUpStart, times.lookUpEnd)
        connect += Self.span(
            times.connectStart,
            times.secureStart > 0
                ? times.secureStart : times.connectEnd > 0 ? times.connectEnd : times.end)
        secureConnection += Self.span(
            times.secureStart, times.connectEnd > 0 ? times.connectEnd : times.end)
        let isAnswered = times.responseStart > 0
        let sent = isAnswered ? min(times.requestEnd, times.responseStart) : times.requestEnd
        request += Self.span(times.requestStart, sent)
        waitingForResponse += Self.span(sent, isAnswered ? times.responseStart : times.end)
        response += Self.span(times.responseStart, times.end)
    }
}

extension TransactionMetrics {
    /// The parts of the exchange, from `fetchStartDate` to its end.
    public var durations: RequestDurations {
        var durations = RequestDurations()
        durations.add(times)
        durations.fill(times.fetchStart...max(times.fetchStart, times.end))
        return durations
    }
}

extension RequestMetrics {
    /// The parts of the load, with those of its exchanges added up, from the first known instant to the last.
    public var durations: RequestDurations {
        var durations = RequestDurations()
        durations.queued = RequestDurations.span(instants.queued, instants.started)
        for transaction in transactionMetrics { durations.add(transaction.times) }
        durations.serialization = RequestDurations.span(
            instants.serializationStarted, instants.serialized)
        // A completion block may itself read the response object, and so have it serialized.
        let isMadeBefore = instants.serialized > 0 && instants.serialized <= instants.calledBack
        durations.callback = RequestDurations.span(
            isMadeBefore ? instants.serialized : instants.responseCompleted, instants.calledBack)
        durations.fill(whole)
        return durations
    }
}
