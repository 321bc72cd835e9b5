public import CEvents

extension EventRecorder {
    /// Runs a block between a begin and an end of one kind, on one thread.
    ///
    /// What begins while nothing is recorded has no end either, nor what began in an earlier recording.
    @inlinable
    package static func span<Result>(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none, _ body: () throws -> Result
    ) rethrows -> Result {
        // The body stands here once, whether it is recorded or not.
        let span = isRecording ? open(kind, subject: subject, value: value, text: text()) : .none
        defer { if span.isRecorded { close(span) } }
        return try body()
    }

    /// Records the beginning of a span on this thread, while something is recorded.
    @inlinable
    package static func open(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0, text: EventText = .none
    ) -> OpenSpan {
        assert(kind.isOnOneThread, "Only such a span can be one event.")
        return noteNow(kind, .begin, subject, value, text)
    }

    /// Records the end of a span; on its own thread.
    @inlinable
    package static func close(_ span: OpenSpan) { endNow(span) }

    /// Records an event, while something is recorded.
    ///
    /// - Returns: its time, in ``ticks``.
    package static func time(
        of kind: Event.Kind, _ phase: Event.Phase, subject: UInt64, value: Int64,
        text: EventText = .none
    ) -> UInt64 {
        noteNow(kind, phase, subject, value, text).begin
    }

    /// Records what turned out later to have happened at a time of the monotonic clock.
    package static func append(
        _ kind: Event.Kind, _ phase: Event.Phase, subject: UInt64, text: EventText, at time: UInt64
    ) {
        guard isRecording else { return }
        let event = Event(time: time, subject: subject, text: text, kind: kind, phase: phase)
        EventLog.current.pointee.owner.appendLate(event)
    }

    /// The time, in ticks; of use while something is recorded.
    @inlinable package static var ticks: UInt64 { cevents_ticks() }
}
