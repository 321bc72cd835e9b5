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

    /// Without `other`.
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

    /// Adds the parts of an exchange.
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
