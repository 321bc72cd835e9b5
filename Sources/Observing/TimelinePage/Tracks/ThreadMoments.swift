import EventRecorder

/// The mark of one recorded event on a thread's or a queue's track.
struct ThreadMoments {
    private let history: RecordedHistory
    private let axis: Timeline.Axis
    /// When each block was dispatched to its queue.
    private let submitted: [UInt64: UInt64]
    /// The run-loop sources that each thread served, in the order of time.
    private let sources: [UInt32: [RecordedHistory.Instant]]

    init(history: RecordedHistory, axis: Timeline.Axis) {
        self.history = history
        self.axis = axis
        submitted = Dictionary(
            history.instants.filter { $0.kind == .queueSubmit }.map { ($0.subject, $0.time) },
            uniquingKeysWith: { first, _ in first })
        sources = Dictionary(
            grouping: history.instants.filter { $0.kind == .runLoopSource }, by: \.place.thread)
    }

    /// Nil for an event of another kind of track.
    func span(_ recorded: RecordedHistory.Span) -> TimelineSpan? {
        let kind: TimelineSpan.Kind
        var name = recorded.text
        var detail = ""
        switch recorded.kind {
        case .runLoopSleep:
            kind = .asleep
            detail = wakening(recorded)
        case .queueRun:
            kind = .block
            name = ThreadTracks.queueName(name).name
            if let time = submitted[recorded.subject], time <= recorded.start {
                detail = "waited \(HTMLText.milliseconds(nanoseconds: recorded.start - time)) ms"
            }
        case .delegateCall: kind = .delegateCall
        case .callback: kind = .callback
        case .serialization: kind = .serialization
        case .lockHold:
            kind = .lockHeld
            name = "depth \(recorded.value)"
        case .lockWait:
            kind = .lockWait
            name = ""
        case .operation, .operationState, .runLoopSource, .runLoopMode, .queueSubmit, .socket,
            .connecting, .handshake, .transfer, .responseHead, .bytesReceived, .bytesSent,
            .sessionTask, .sessionTaskState, .serverConnection, .serverExchange, .enqueued, .note,
            .request, .requestState:
            return nil
        }
        return TimelineSpan(
            start: axis.milliseconds(recorded.start), end: axis.milliseconds(recorded.end),
            name: name, kind: kind, subject: axis.names[recorded.subject],
            depth: kind == .lockHeld ? Int(recorded.value) : recorded.nesting, detail: detail,
            isUnfinished: recorded.isUnfinished)
    }

    /// Such as "woken by sockets": the source that ran right after the sleep, if one did.
    private func wakening(_ sleep: RecordedHistory.Span) -> String {
        guard !sleep.isUnfinished, let all = sources[sleep.place.thread] else { return "" }
        // A binary search for the first source after the sleep.
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].time < sleep.end { low = middle + 1 } else { high = middle }
        }
        guard low < all.count, all[low].time - sleep.end < 1_000_000 else { return "" }
        return "woken by " + all[low].text
    }

    /// The bar of a thread's measured processor time, which ends at the reading; nil where it is none.
    func computing(_ recorded: RecordedHistory.Instant) -> TimelineSpan? {
        guard recorded.value > 0 else { return nil }
        let end = axis.milliseconds(recorded.time)
        let start = max(0, end - Double(recorded.value) / 1_000_000)
        return TimelineSpan(start: start, end: end, name: "", kind: .computing)
    }

    /// The dot above the bar of a caller's block.
    func dot(ofCallback recorded: RecordedHistory.Span) -> TimelineDot {
        let text = recorded.text.lowercased()
        let kind: TimelineDot.Kind =
            text.contains("fail") || text.contains("error")
            ? .failure : text.contains("progress") ? .progress : .callback
        return TimelineDot(
            time: axis.milliseconds(recorded.start), name: recorded.text, kind: kind,
            subject: axis.names[recorded.subject])
    }

    /// Nil for an event of another kind of track, or of a span.
    func dot(_ recorded: RecordedHistory.Instant) -> TimelineDot? {
        let kind: TimelineDot.Kind
        var name = recorded.text
        var bytes: Int64 = 0
        switch recorded.kind {
        case .queueSubmit:
            kind = .submitted
            name = "to " + ThreadTracks.queueName(name).name
        case .runLoopMode: kind = .mode
        case .responseHead:
            kind = .head
            name = recorded.value > 0 ? "status \(recorded.value)" : ""
        case .bytesReceived, .bytesSent:
            kind = recorded.kind == .bytesSent ? .sent : .received
            bytes = recorded.value
        case .enqueued:
            kind = .enqueued
        // A note without a text only marks a time.
        case .note where name.isEmpty: return nil
        case .note: kind = .note
        case .operation, .operationState, .lockWait, .lockHold, .runLoopSleep, .runLoopSource,
            .queueRun, .delegateCall, .callback, .socket, .connecting, .handshake, .transfer,
            .serialization, .sessionTask, .sessionTaskState, .serverConnection, .serverExchange,
            .request, .requestState:
            return nil
        }
        return TimelineDot(
            time: axis.milliseconds(recorded.time), name: name, kind: kind,
            subject: axis.names[recorded.subject], bytes: bytes)
    }
}
