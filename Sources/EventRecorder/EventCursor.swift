import CTicks
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
    /// - Returns: where it is kept, if its end can be added there.
    @inline(__always)
    func append(_ event: Event) -> EventLog.Slot? {
        let slot = next.load(ordering: .relaxed)
        guard let slot, slot != end.load(ordering: .relaxed), isOfThisRecording(recording),
            let stored = StoredEvent(event, from: origin)
        else { return log._withUnsafeGuaranteedRef { $0.appendSlowly(event) } }
        slot.initialize(to: stored)
        next.store(slot + 1, ordering: .releasing)
        cticks_prefetch(slot + 8)
        return slot
    }

    /// What turned out later to have happened at a time of the monotonic clock.
    func appendLate(_ event: Event) {
        log._withUnsafeGuaranteedRef { $0.appendLate(event) }
    }

    /// Adds the end of a span to its beginning, if that can still be done.
    ///
    /// - Parameter recording: the one that the beginning is of.
    @inline(__always)
    func end(_ slot: EventLog.Slot?, of recording: UInt32, after ticks: UInt64) -> Bool {
        guard let slot, isOfThisRecording(recording) else { return false }
        return slot.pointee.end(after: ticks)
    }

    var owner: EventLog { log.takeUnretainedValue() }

    /// When the recording began, in ticks.
    var start: UInt64 { originTime.load(ordering: .relaxed) }

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

    @inline(__always)
    private func isOfThisRecording(_ recording: UInt32) -> Bool {
        store._withUnsafeGuaranteedRef { recording == $0.generation }
    }
}
