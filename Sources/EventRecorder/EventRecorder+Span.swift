public import CEvents

extension EventRecorder {
    /// Runs a block between a begin and an end of one kind, on one thread.
    ///
    /// What begins while nothing is recorded has no end either.
    @inlinable
    package static func span<Result>(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none, _ body: () throws -> Result
    ) rethrows -> Result {
        // The body stands here once, whether it is recorded or not.
        let span = isRecording ? openSpan(kind, subject, value, text()) : nil
        defer { if let span { closeSpan(span, kind, subject, value) } }
        return try body()
    }
}

/// Where the beginning of a span is kept.
@usableFromInline
struct OpenSpan {
    fileprivate let slot: EventLog.Slot?
    fileprivate let begin: UInt64
    fileprivate let text: EventText
}

/// Records the beginning of a span, where its end can be added. No static method, as `recordNow`.
@inline(never) @usableFromInline
func openSpan(
    _ kind: Event.Kind, _ subject: UInt64, _ value: Int64, _ text: EventText
) -> OpenSpan {
    assert(kind.isOnOneThread, "Only such a span can be one event.")
    let begin = Ticks.now
    let slot = EventLog.current.pointee.append(
        StoredEvent.Shape(kind, .begin), subject, value, text, at: begin)
    return OpenSpan(slot: slot, begin: begin, text: text)
}

/// Adds the end of a span to its beginning; behind it as one more event where that is not to be.
@inline(never) @usableFromInline
func closeSpan(_ span: OpenSpan, _ kind: Event.Kind, _ subject: UInt64, _ value: Int64) {
    guard EventRecorder.isRecording else { return }
    let end = Ticks.now
    let cursor = EventLog.current
    if cursor.pointee.end(span.slot, from: span.begin, to: end) { return }
    addEnd(kind, subject, value, span.text, at: end)
}

@inline(never)
private func addEnd(
    _ kind: Event.Kind, _ subject: UInt64, _ value: Int64, _ text: EventText, at end: UInt64
) {
    _ = EventLog.current.pointee.append(
        StoredEvent.Shape(kind, .end), subject, value, text, at: end)
}

extension EventRecorder {
    /// Records what turned out later to have happened at a time of the monotonic clock.
    package static func append(
        _ kind: Event.Kind, _ phase: Event.Phase, subject: UInt64, text: EventText, at time: UInt64
    ) {
        guard isRecording else { return }
        let event = Event(time: time, subject: subject, text: text, kind: kind, phase: phase)
        EventLog.current.pointee.appendLate(event)
    }

    /// The time, in ticks; of use while something is recorded.
    @inlinable package static var ticks: UInt64 { cevents_ticks() }

    /// Records a span that is over, on this thread, for the price of one event. One that the
    /// recording's start or stop cuts is not recorded.
    package static func whole(
        _ kind: Event.Kind, subject: UInt64, value: Int64, from begin: UInt64, to end: UInt64
    ) {
        guard isRecording else { return }
        _ = EventLog.current.pointee.append(
            StoredEvent.Shape(kind, .begin), subject, value, .none, at: begin,
            length: end &- begin &+ 1)
    }
}
