import CEvents
import Synchronization

/// Where a thread's next event goes.
///
/// An event needs no lock and no atomic addition: it is written, and then the cursor says how far its
/// thread has come. A value at an address of its own, so that nobody counts references to it.
///
/// ## Concurrency
/// Call from: its thread; what it holds is read by any. Lock: none; its log changes it under the
/// store's. Calls out: never.
struct EventCursor: ~Copyable {
    /// The next slot; all before it in its run are written.
    let next = Atomic<EventLog.Slot?>(nil)
    let end = Atomic<EventLog.Slot?>(nil)
    private let numberOfRecording = Atomic<UInt32>(0)
    private let originTime = Atomic<UInt64>(0)
    private let originSubject = Atomic<UInt64>(0)
    /// Outlives it, for it owns it.
    private let log: Unmanaged<EventLog>

    init(for log: EventLog) {
        self.log = .passUnretained(log)
    }

    var owner: EventLog { log.takeUnretainedValue() }

    /// The recording that slots were last taken for.
    var recording: UInt32 {
        @inline(__always) get { numberOfRecording.load(ordering: .relaxed) }
    }

    /// - Parameter recording: the one that slots were last taken for.
    @inline(__always)
    func origin(of recording: UInt32) -> StoredEvent.Origin {
        StoredEvent.Origin(
            time: originTime.load(ordering: .relaxed),
            subject: originSubject.load(ordering: .relaxed), recording: recording)
    }

    /// Another recording, in which nothing was written yet.
    func begin(_ recording: UInt32, from origin: StoredEvent.Origin) {
        next.store(nil, ordering: .relaxed)
        end.store(nil, ordering: .relaxed)
        originTime.store(origin.time, ordering: .relaxed)
        originSubject.store(origin.subject, ordering: .relaxed)
        numberOfRecording.store(recording, ordering: .relaxed)
    }

    /// Keeps an event, where that needs no lock and its numbers are small.
    ///
    /// - Parameter recording: the one that is made now.
    /// - Returns: where it is kept; nil if it is not, but may be by `append`.
    @inline(__always)
    func keep(
        _ shape: StoredEvent.Shape, _ subject: UInt64, _ value: Int64, _ text: EventText,
        at time: UInt64, of recording: UInt32
    ) -> EventLog.Slot? {
        guard let slot = free(recording),
            let stored = StoredEvent(
                small: shape, subject, value, text, at: time, from: origin(of: recording))
        else { return nil }
        slot.initialize(to: stored)
        next.store(slot + 1, ordering: .releasing)
        cevents_prefetch(slot + 8)
        return slot
    }

    /// The next slot, if it may be written without asking.
    @inline(__always)
    private func free(_ recording: UInt32) -> EventLog.Slot? {
        guard let slot = next.load(ordering: .relaxed), slot != end.load(ordering: .relaxed),
            recording == self.recording
        else { return nil }
        return slot
    }

    /// Keeps an event; drops it if the store is full or closed.
    ///
    /// - Returns: where it is kept, if it is.
    func append(
        _ shape: StoredEvent.Shape, _ subject: UInt64, _ value: Int64, _ text: EventText,
        at time: UInt64, of recording: UInt32
    ) -> EventLog.Slot? {
        if let slot = free(recording),
            let stored = StoredEvent(
                shape, subject, value, text, at: time, from: origin(of: recording))
        {
            slot.initialize(to: stored)
            next.store(slot + 1, ordering: .releasing)
            return slot
        }
        guard let kind = shape.kind, let phase = shape.phase else { return nil }
        let event = Event(
            time: time, subject: subject, value: value, text: text, kind: kind, phase: phase)
        return log._withUnsafeGuaranteedRef { $0.append(event, isMove: shape.isMove) }
    }

    /// Keeps an exchange that did not make its connection, and the event of its end.
    ///
    /// - Parameter recording: the one that is made now, and that its texts are kept in.
    /// - Returns: whether they are kept; if not, they may be by the log.
    @inline(__always)
    func keep(
        _ numbers: ExchangeNumbers, _ subject: UInt64, _ value: Int64, _ text: EventText,
        at time: UInt64, of recording: UInt32
    ) -> Bool {
        guard let slot = next.load(ordering: .relaxed), let end = end.load(ordering: .relaxed),
            slot.distance(to: end) > StoredExchange.numbersCount, recording == self.recording,
            let stored = StoredEvent(
                .exchange, subject, value, text, at: time, numbers: StoredExchange.numbersCount,
                from: origin(of: recording))
        else { return false }
        UnsafeMutableRawPointer(slot + 1).storeBytes(of: numbers, as: ExchangeNumbers.self)
        slot.initialize(to: stored)
        let free = slot + 1 + StoredExchange.numbersCount
        next.store(free, ordering: .releasing)
        cevents_prefetch(free + 3)
        cevents_prefetch(free + 7)
        return true
    }

    /// Adds the end of a span to its beginning, if that can still be done.
    ///
    /// - Parameters:
    ///   - begin: when it began; after the start of this recording, else it is not of it.
    ///   - recording: the one that is made now.
    @inline(__always)
    func end(
        _ slot: EventLog.Slot?, from begin: UInt64, to end: UInt64, of recording: UInt32
    ) -> Bool {
        guard let slot, recording == self.recording,
            begin >= originTime.load(ordering: .relaxed)
        else { return false }
        return slot.pointee.end(after: end &- begin)
    }
}
