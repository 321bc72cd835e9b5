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
        let (place, begin) = open(kind, subject, value, text)
        defer { close(place, kind, subject, value, text, begin) }
        return try body()
    }

    /// Records the beginning of a span, where its end can be added.
    @inline(never) @usableFromInline
    static func open(
        _ kind: Event.Kind, _ subject: UInt64, _ value: Int64, _ text: EventText
    ) -> (place: Int?, time: UInt64) {
        let begin = Ticks.now
        let place = RecorderControl.store.load(ordering: .acquiring)?.pointee.append(
            StoredEvent(
                opening: Event(
                    time: begin, subject: subject, value: value, text: text,
                    thread: ThreadNames.current, kind: kind, phase: .begin)))
        return (place, begin)
    }

    /// Adds the end of a span to its beginning; behind it as one more event where that is not to be.
    @inline(never) @usableFromInline
    static func close(
        _ place: Int?, _ kind: Event.Kind, _ subject: UInt64, _ value: Int64, _ text: EventText,
        _ begin: UInt64
    ) {
        guard isRecording, let store = RecorderControl.store.load(ordering: .acquiring) else {
            return
        }
        let end = Ticks.now
        if let place, store.pointee.close(place, from: begin, to: end) { return }
        store.pointee.append(
            StoredEvent(
                Event(
                    time: end, subject: subject, value: value, text: text,
                    thread: ThreadNames.current, kind: kind, phase: .end)))
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
        if let span = StoredEvent(event, until: end) {
            store.pointee.append(span)
            return
        }
        store.pointee.append(StoredEvent(event))
        event.time = end
        event.phase = .end
        store.pointee.append(StoredEvent(event))
    }
}
