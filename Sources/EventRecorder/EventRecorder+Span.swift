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
            Event(
                time: time, subject: subject, text: text, thread: ThreadNames.current, kind: kind,
                phase: phase))
    }
}
