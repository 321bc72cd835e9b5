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
    /// The recording that the slots belong to.
    let generation = Atomic<UInt32>(0)
    /// The next slot; all before it in its run are written.
    let next = Atomic<EventLog.Slot?>(nil)
    let end = Atomic<EventLog.Slot?>(nil)
    let originTime = Atomic<UInt64>(0)
    let originSubject = Atomic<UInt64>(0)
    /// Both outlive it: the log owns it, and holds the store.
    private let log: Unmanaged<EventLog>
    private let store: Unmanaged<EventStore>

    init(for log: EventLog, _ store: EventStore) {
        self.log = .passUnretained(log)
        self.store = .passUnretained(store)
    }

    /// Keeps an event; drops it if the store is full or closed.
    ///
    /// One function for all events, with no more in it than most of them need: between two events of a
    /// request much else runs, so its code is not at hand.
    ///
    /// - Parameter length: a whole span's ticks and one more, else 0.
    /// - Returns: where it is kept, if its end can be added there.
    @inline(never)
    func append(
        _ shape: StoredEvent.Shape, _ subject: UInt64, _ value: Int64, _ text: EventText,
        at time: UInt64, length: UInt64 = 0
    ) -> EventLog.Slot? {
        guard let slot = next.load(ordering: .relaxed), slot != end.load(ordering: .relaxed),
            isOfThisRecording,
            let stored = StoredEvent(
                shape, subject, value, text, at: time, length: length, from: origin)
        else { return appendSlowly(shape, subject, value, text, at: time, length: length) }
        slot.initialize(to: stored)
        next.store(slot + 1, ordering: .releasing)
        cevents_prefetch(slot + 8)
        return slot
    }

    /// Keeps an exchange that did not make its connection, and the event of its end.
    ///
    /// - Parameter recording: the one that its texts are kept in.
    /// - Returns: whether they are kept; if not, they may be by `appendSlowly`.
    @inline(__always)
    func append(
        _ numbers: ExchangeNumbers, _ subject: UInt64, _ value: Int64, _ text: EventText,
        at time: UInt64, of recording: UInt32
    ) -> Bool {
        guard let slot = next.load(ordering: .relaxed), let end = end.load(ordering: .relaxed),
            slot.distance(to: end) > StoredExchange.numbersCount, isOfThisRecording,
            self.recording == recording,
            let stored = StoredEvent(
                .exchange, subject, value, text, at: time,
                length: UInt64(StoredExchange.numbersCount), from: origin)
        else { return false }
        UnsafeMutableRawPointer(slot + 1).storeBytes(of: numbers, as: ExchangeNumbers.self)
        slot.initialize(to: stored)
        let free = slot + 1 + StoredExchange.numbersCount
        next.store(free, ordering: .releasing)
        cevents_prefetch(free + 3)
        cevents_prefetch(free + 7)
        return true
    }

    /// Keeps any exchange; drops it if the store is full or closed.
    func appendSlowly(_ exchange: StoredExchange, of recording: UInt32) {
        log._withUnsafeGuaranteedRef { $0.appendSlowly(exchange, of: recording) }
    }

    @inline(never)
    private func appendSlowly(
        _ shape: StoredEvent.Shape, _ subject: UInt64, _ value: Int64, _ text: EventText,
        at time: UInt64, length: UInt64
    ) -> EventLog.Slot? {
        guard let kind = shape.kind, let phase = shape.phase else { return nil }
        let event = Event(
            time: time, subject: subject, value: value, text: text, kind: kind, phase: phase)
        return log._withUnsafeGuaranteedRef {
            if shape.isMove {
                let (edge, operation) = StateEdge.unfolded(event)
                _ = $0.appendSlowly(edge)
                return $0.appendSlowly(operation)
            }
            return length == 0 ? $0.appendSlowly(event) : $0.appendSlowly(event, length: length)
        }
    }

    /// What turned out later to have happened at a time of the monotonic clock.
    func appendLate(_ event: Event) {
        log._withUnsafeGuaranteedRef { $0.appendLate(event) }
    }

    /// Adds the end of a span to its beginning, if that can still be done.
    ///
    /// - Parameter begin: when it began; after the start of this recording, else it is not of it.
    @inline(__always)
    func end(_ slot: EventLog.Slot?, from begin: UInt64, to end: UInt64) -> Bool {
        guard let slot, isOfThisRecording, begin >= originTime.load(ordering: .relaxed) else {
            return false
        }
        return slot.pointee.end(after: end &- begin)
    }

    var owner: EventLog { log.takeUnretainedValue() }

    /// The recording that slots were last taken for.
    var recording: UInt32 {
        @inline(__always) get { generation.load(ordering: .relaxed) }
    }

    var origin: StoredEvent.Origin {
        @inline(__always) get {
            StoredEvent.Origin(
                time: originTime.load(ordering: .relaxed),
                subject: originSubject.load(ordering: .relaxed))
        }
    }

    private var isOfThisRecording: Bool {
        @inline(__always) get { store._withUnsafeGuaranteedRef { recording == $0.generation } }
    }
}
