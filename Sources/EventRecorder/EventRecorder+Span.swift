import Synchronization

extension EventRecorder {
    /// Runs a block between a begin and an end of one kind, on one thread.
    ///
    /// What begins while nothing is recorded has no end either.
    @inlinable
    package static func span<Result>(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none, _ body: () throws -> Result
    ) rethrows -> Result {
        guard isRecording else { return try body() }
        let text = text()
        let place = open(kind, subject, value, text)
        defer { close(place, kind, subject, value, text) }
        return try body()
    }

    /// Where the beginning of a span is kept.
    @usableFromInline
    struct OpenSpan {
        /// The thread's, which is the same at the end.
        fileprivate let cursor: UnsafeMutablePointer<EventCursor>
        fileprivate let slot: EventLog.Slot?
        fileprivate let recording: UInt32
        fileprivate let begin: UInt64
    }

    /// Records the beginning of a span, where its end can be added.
    @inline(never) @usableFromInline
    static func open(
        _ kind: Event.Kind, _ subject: UInt64, _ value: Int64, _ text: EventText
    ) -> OpenSpan {
        let event = Event(
            time: Ticks.now, subject: subject, value: value, text: text, kind: kind, phase: .begin)
        let cursor = EventLog.current
        let slot = cursor.pointee.append(event)
        return OpenSpan(
            cursor: cursor, slot: slot, recording: cursor.pointee.recording, begin: event.time)
    }

    /// Adds the end of a span to its beginning; behind it as one more event where that is not to be.
    @inline(never) @usableFromInline
    static func close(
        _ place: OpenSpan, _ kind: Event.Kind, _ subject: UInt64, _ value: Int64,
        _ text: EventText
    ) {
        guard isRecording else { return }
        let end = Ticks.now
        if place.cursor.pointee.end(
            place.slot, of: place.recording, after: end &- place.begin)
        {
            return
        }
        _ = place.cursor.pointee.append(
            Event(time: end, subject: subject, value: value, text: text, kind: kind, phase: .end))
    }
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

    /// The time, in ticks.
    package static var ticks: UInt64 { Ticks.now }

    /// Records a span that is over, on this thread, for the price of one event. One that the
    /// recording's start or stop cuts is not recorded.
    package static func whole(
        _ kind: Event.Kind, subject: UInt64, value: Int64, from begin: UInt64, to end: UInt64
    ) {
        guard isRecording else { return }
        var event = Event(time: begin, subject: subject, value: value, kind: kind, phase: .begin)
        let cursor = EventLog.current
        let slot = cursor.pointee.append(event)
        if cursor.pointee.end(slot, of: cursor.pointee.recording, after: end &- begin) { return }
        if begin < cursor.pointee.start { return }
        event.time = end
        event.phase = .end
        _ = cursor.pointee.append(event)
    }
}
