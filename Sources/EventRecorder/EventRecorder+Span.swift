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
        begin(kind, subject: subject, value: value, text: text)
        defer { end(kind, subject: subject, value: value, text: text) }
        return try body()
    }
}

extension EventRecorder {
    /// Records what turned out later to have happened at a time of the monotonic clock.
    package static func append(
        _ kind: Event.Kind, _ phase: Event.Phase, subject: UInt64, text: EventText, at time: UInt64
    ) {
        guard isRecording, let store = RecorderControl.store.load(ordering: .acquiring) else {
            return
        }
        store.pointee.append(
            .late(
                Event(
                    time: time, subject: subject, text: text, thread: ThreadNames.current,
                    kind: kind, phase: phase)))
    }

    /// When something begins that `whole` will record; in ticks.
    package static var beginning: UInt64 { Ticks.now }

    /// Records a span that is over, on this thread, for the price of one event. One that the
    /// recording's stop cuts is not recorded.
    package static func whole(
        _ kind: Event.Kind, subject: UInt64, value: Int64, from begin: UInt64, to end: UInt64
    ) {
        guard isRecording, let store = RecorderControl.store.load(ordering: .acquiring) else {
            return
        }
        var event = Event(
            time: begin, subject: subject, value: value, thread: ThreadNames.current, kind: kind,
            phase: .begin)
        if let span = StoredEvent(event, until: end) { return store.pointee.append(span) }
        store.pointee.append(StoredEvent(event))
        event.time = end
        event.phase = .end
        store.pointee.append(StoredEvent(event))
    }
}
