// How this package's own modules record.

/// A span on one thread that has begun; it ends in the same recording, or is cut off.
@usableFromInline package struct OpenSpan {
    fileprivate let begin: Event
    fileprivate let recording: UInt32
}

extension EventRecorder {
    /// Runs a block between begin and end of a span on one thread.
    ///
    /// What began while nothing was recorded, or in an earlier recording, gets no end event.
    @inlinable
    package static func span<Result>(
        _ kind: Event.Kind, subject: UInt64 = 0, value: Int64 = 0,
        text: @autoclosure () -> EventText = .none, _ body: () throws -> Result
    ) rethrows -> Result {
        // One call for both cases, so that the inlined body occurs once.
        let span = isRecording ? open(kind, subject: subject, value: value, text: text()) : nil
        defer { if let span { close(span) } }
        return try body()
    }

    /// Records the begin of a span on this thread while a recording is made.
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

    @inline(never) @usableFromInline
    package static func close(_ span: OpenSpan) {
        guard span.recording == recording else { return }
        var end = span.begin
        (end.time, end.phase) = (now, .end)
        EventLog.keep(end, of: span.recording)
    }

    // MARK: Exchanges

    /// Stores the texts of exchanges until the recording stops.
    ///
    /// - Parameters:
    ///   - size: their approximate size in bytes.
    ///   - make: makes a record of them when the recording has stopped; each exchange completes its
    ///     own copy.
    /// - Returns: a number that identifies them in this ``recording``, the same one for all texts
    ///   beyond the limit of bytes; 0 where nothing is recorded, or `capacity` texts are stored.
    package static func keepTexts(
        size: Int, _ make: @escaping @Sendable () -> ExchangeRecord
    ) -> UInt32 {
        Recorder.withSession { $0.exchanges.keepTexts(size: size, make) } ?? 0
    }

    /// Records an exchange that ends now; its end event only if its request was sent. Without texts
    /// there is no record, and it counts as dropped.
    ///
    /// - Parameters:
    ///   - connecting: how long the phases of connecting took, if it made its connection.
    ///   - recording: the recording that its texts are stored in.
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

    /// Records an exchange as the public method does.
    ///
    /// - Parameter size: the bytes that the closure holds until the record is made.
    package static func exchange(
        size: Int, _ record: @escaping @Sendable () -> ExchangeRecord
    ) {
        guard isRecording else { return }
        Recorder.withSession { $0.exchanges.add(size: size, record) }
    }

    // MARK: The end

    /// Calls a block when the recording under way has stopped, on the thread that stops it; never
    /// where nothing is recorded. A block of the same number is replaced.
    ///
    /// - Parameter number: identifies the block for `unwatch`, from `nextNumber()`.
    package static func whenStopped(_ number: UInt64, _ block: @escaping @Sendable () -> Void) {
        Recorder.withSession { $0.watchers[number] = block }
    }

    package static func unwatch(_ number: UInt64) {
        // What the block captured is released after unlocking.
        _ = Recorder.withSession { $0.watchers.removeValue(forKey: number) }
    }
}
