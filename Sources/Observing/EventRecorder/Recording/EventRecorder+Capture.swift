// What this package's own modules record with.

/// A span on one thread that has begun; it ends in the same recording, or not at all.
@usableFromInline package struct OpenSpan {
    fileprivate let begin: Event
    fileprivate let recording: UInt32
}

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
        let span = isRecording ? open(kind, subject: subject, value: value, text: text()) : nil
        defer { if let span { close(span) } }
        return try body()
    }

    /// Records the beginning of a span on this thread, while something is recorded.
    @inline(never) @usableFromInline
    package static func open(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0, text: EventText = .none
    ) -> OpenSpan {
        let recording = recording
        let begin = Event(
            time: now, subject: subject, value: value, text: text, kind: kind, phase: .begin)
        EventLog.keep(begin, of: recording)
        return OpenSpan(begin: begin, recording: recording)
    }

    /// Records the end of a span; on its own thread.
    @inline(never) @usableFromInline
    package static func close(_ span: OpenSpan) {
        guard span.recording == recording else { return }
        var end = span.begin
        (end.time, end.phase) = (now, .end)
        EventLog.keep(end, of: span.recording)
    }

    // MARK: Exchanges

    /// Keeps the texts of exchanges until the recording stops.
    ///
    /// - Parameters:
    ///   - size: about their bytes.
    ///   - make: gives them as a record, when the recording has stopped; the rest of it is of each exchange.
    /// - Returns: their number in this ``recording``, also of texts that are left out because their
    ///   bytes have no room; 0 where nothing is recorded any more, or there are as many as events may be.
    package static func keepTexts(
        size: Int, _ make: @escaping @Sendable () -> ExchangeRecord
    ) -> UInt32 {
        Recorder.withSession { $0.exchanges.keepTexts(size: size, make) } ?? 0
    }

    /// Records an exchange, and if it went out, its end, as now. One without texts is dropped.
    ///
    /// - Parameters:
    ///   - connecting: how long the phases took, if it made its connection.
    ///   - recording: the one that its texts are kept in.
    package static func exchange(
        _ exchange: Exchange, _ connecting: ExchangeRecord.Timings? = nil, of recording: UInt32
    ) {
        guard isRecording, recording == Self.recording else { return }
        let end = now
        if exchange.sent > 0 {
            note(
                .transfer, .end, subject: exchange.transfer, value: Int64(exchange.status),
                text: exchange.name, at: end)
        }
        Recorder.withSession { session in
            if recording == Self.recording { session.exchanges.add(exchange, at: end, connecting) }
        }
    }

    /// Records one as the public method does.
    ///
    /// - Parameter size: the bytes that its record needs until it is made.
    package static func exchange(
        size: Int, _ record: @escaping @Sendable () -> ExchangeRecord
    ) {
        guard isRecording else { return }
        Recorder.withSession { $0.exchanges.add(size: size, record) }
    }

    // MARK: The end

    /// Calls a block when this recording has stopped, on the thread that stops it.
    ///
    /// - Parameter number: the watcher's own, of `nextNumber()`; it has one block.
    package static func whenStopped(_ number: UInt64, _ block: @escaping @Sendable () -> Void) {
        Recorder.withSession { $0.watchers[number] = block }
    }

    /// Takes a watcher away.
    package static func unwatch(_ number: UInt64) {
        // What it holds goes where the lock is not held.
        _ = Recorder.withSession { $0.watchers.removeValue(forKey: number) }
    }
}
