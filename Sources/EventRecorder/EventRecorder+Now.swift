import CEvents

// What every event of a request runs through. Between two of them much else runs, so that their code
// has to be fetched again: it is short, calls nothing, and is the same for all; what is rare stands
// aside. Functions, not static methods, which other modules would reach by a jump more.

/// Where a span's beginning is kept, and when it was.
@usableFromInline package struct OpenSpan: BitwiseCopyable {
    @usableFromInline let slot: UnsafeMutableRawPointer?
    @usableFromInline let begin: UInt64

    @inlinable
    init(_ slot: UnsafeMutableRawPointer?, _ begin: UInt64) {
        (self.slot, self.begin) = (slot, begin)
    }

    /// That of a span that is not recorded.
    @inlinable package static var none: OpenSpan { OpenSpan(nil, 0) }
    @inlinable package var isRecorded: Bool { begin != 0 }

    fileprivate var place: EventLog.Slot? { slot?.assumingMemoryBound(to: StoredEvent.self) }
}

/// Records an event of now.
@inline(never) @usableFromInline @discardableResult
func noteNow(
    _ kind: Event.Kind, _ phase: Event.Phase, _ subject: UInt64, _ value: Int64, _ text: EventText
) -> OpenSpan {
    guard cevents_is_counting(), let cursor = EventLog.existing else {
        return noteSlowly(kind, phase, subject, value, text)
    }
    let now = cevents_counter()
    guard
        let slot = cursor.pointee.keep(
            StoredEvent.Shape(kind, phase), subject, value, text, at: now,
            of: EventRecorder.recording)
    else { return noteSlowly(kind, phase, subject, value, text) }
    return OpenSpan(slot, now)
}

/// Also where ticks are of the clock, which is a call.
@inline(never)
private func noteSlowly(
    _ kind: Event.Kind, _ phase: Event.Phase, _ subject: UInt64, _ value: Int64, _ text: EventText
) -> OpenSpan {
    let now = Ticks.now
    return OpenSpan(
        EventLog.current.pointee.append(
            StoredEvent.Shape(kind, phase), subject, value, text, at: now,
            of: EventRecorder.recording),
        now)
}

/// Adds the end of a span to its beginning; behind it as one more event where that is not to be.
@inline(never) @usableFromInline
func endNow(_ span: OpenSpan) {
    guard cevents_is_counting(), let cursor = EventLog.existing,
        cursor.pointee.end(
            span.place, from: span.begin, to: cevents_counter(), of: EventRecorder.recording)
    else { return endSlowly(span) }
}

@inline(never)
private func endSlowly(_ span: OpenSpan) {
    let now = Ticks.now
    let (cursor, place) = (EventLog.current, span.place)
    if cursor.pointee.end(place, from: span.begin, to: now, of: EventRecorder.recording) { return }
    cursor.pointee.owner.end(place, from: span.begin, to: now)
}

/// Records a change of state with the beginning or end of an operation.
///
/// - Parameter edge: the change's number.
@inline(never)
func noteMove(_ phase: Event.Phase, _ subject: UInt64, _ edge: Int64, _ text: EventText) {
    guard cevents_is_counting(), let cursor = EventLog.existing,
        cursor.pointee.keep(
            .move(phase), subject, edge, text, at: cevents_counter(), of: EventRecorder.recording)
            != nil
    else { return noteMoveSlowly(phase, subject, edge, text) }
}

@inline(never)
private func noteMoveSlowly(
    _ phase: Event.Phase, _ subject: UInt64, _ edge: Int64, _ text: EventText
) {
    _ = EventLog.current.pointee.append(
        .move(phase), subject, edge, text, at: Ticks.now, of: EventRecorder.recording)
}

extension EventRecorder {
    /// As `exchange`, for one on a connection that was there, in as few steps as can be.
    ///
    /// - Returns: whether it is recorded; if not, it may be by `exchange`.
    @inline(never)
    package static func repeatedExchange(
        _ transfer: UInt64, status: Int64, name: EventText, _ numbers: ExchangeNumbers,
        of recording: UInt32
    ) -> Bool {
        guard cevents_is_counting(), let cursor = EventLog.existing, numbers.texts > 0,
            recording == EventRecorder.recording
        else { return false }
        return cursor.pointee.keep(
            numbers, transfer, status, name, at: cevents_counter(), of: recording)
    }
}
