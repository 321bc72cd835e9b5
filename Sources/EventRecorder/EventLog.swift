import CTicks
import Foundation
import Synchronization

/// The events of one thread, in runs of slots that no other thread writes to.
///
/// So an event needs no lock and no atomic addition: it is written, and then the log says how far it
/// has come. Only where a run is full, or another recording has begun, the thread asks the store.
///
/// ## Concurrency
/// Call from: its thread; `read`, any. Lock: the store's, for more room and for `read`. Calls out:
/// never.
final class EventLog: @unchecked Sendable {
    // @unchecked because `runs`, `used` and `dropped` are used under the store's lock alone.
    typealias Slot = UnsafeMutablePointer<StoredEvent>

    /// Slots in a row, and how many of them a recording has used, once it uses the next run.
    struct Run {
        let start: Slot
        var count = 0
    }

    // MARK: Set once

    let thread: UInt32
    private let store: EventStore

    // MARK: Written by its thread

    /// The recording that the slots belong to.
    private let generation = Atomic<UInt32>(0)
    /// The next slot; all before it in its run are written.
    private let next = Atomic<Slot?>(nil)
    private let end = Atomic<Slot?>(nil)
    private let originTime = Atomic<UInt64>(0)
    private let originSubject = Atomic<UInt64>(0)

    // MARK: Guarded by the store's lock

    private(set) var runs: [Run] = []
    /// The runs that hold events of this recording.
    private var used = 0
    private var dropped = 0

    init(of thread: UInt32, in store: EventStore) {
        self.thread = thread
        self.store = store
    }

    // MARK: Its thread

    /// Keeps an event; drops it if the store is full or closed.
    ///
    /// - Returns: where it is kept, if its end can be added there.
    @inline(__always)
    func append(_ event: Event) -> Slot? {
        let slot = next.load(ordering: .relaxed)
        guard let slot, slot != end.load(ordering: .relaxed), recording == store.generation,
            let stored = StoredEvent(event, from: origin)
        else { return appendSlowly(event) }
        slot.initialize(to: stored)
        next.store(slot + 1, ordering: .releasing)
        cticks_prefetch(slot + 8)
        return slot
    }

    /// What turned out later to have happened at a time of the monotonic clock.
    func appendLate(_ event: Event) {
        store.lock.withLock { appendWide(event, isInNanoseconds: true) }
    }

    @inline(never)
    private func appendSlowly(_ event: Event) -> Slot? {
        store.lock.withLock {
            guard let slot = place(for: 1) else { return nil }
            guard let stored = StoredEvent(event, from: origin) else {
                appendWide(event)
                return nil
            }
            slot.initialize(to: stored)
            next.store(slot + 1, ordering: .releasing)
            return slot
        }
    }

    /// Adds the end of a span to its beginning, if that can still be done.
    ///
    /// - Parameter recording: the one that the beginning is of.
    @inline(__always)
    func end(_ slot: Slot?, of recording: UInt32, after ticks: UInt64) -> Bool {
        guard let slot, recording == store.generation else { return false }
        return slot.pointee.end(after: ticks)
    }

    /// When the recording began, in ticks.
    var start: UInt64 { originTime.load(ordering: .relaxed) }

    /// The recording that slots were last taken for.
    var recording: UInt32 {
        @inline(__always) get { generation.load(ordering: .relaxed) }
    }

    private var origin: StoredEvent.Origin {
        @inline(__always) get {
            StoredEvent.Origin(
                time: originTime.load(ordering: .relaxed),
                subject: originSubject.load(ordering: .relaxed))
        }
    }

    // MARK: Its thread, under the store's lock

    /// Three slots for the room of one event: the run's end moves on by the other two.
    private func appendWide(_ event: Event, isInNanoseconds: Bool = false) {
        guard let slots = place(for: StoredEvent.wideCount) else { return }
        StoredEvent.writeWide(event, isInNanoseconds: isInNanoseconds, to: slots)
        let granted = state.granted + StoredEvent.wideCount - 1
        let start = runs[used - 1].start
        store.giveBack(max(0, granted - EventStore.runSize))
        end.store(start + min(granted, EventStore.runSize), ordering: .relaxed)
        next.store(slots + StoredEvent.wideCount, ordering: .releasing)
    }

    /// Where the next event begins, once there is room for one: in this run, or else in another.
    private func place(for slots: Int) -> Slot? {
        guard store.isOpen else { return nil }
        if recording != store.generation { begin() }
        let (written, granted) = state
        if used == 0 || written + slots > EventStore.runSize { return firstOfNextRun() }
        let start = runs[used - 1].start
        if granted == written {
            let room = store.takeRoom(atMost: EventStore.runSize - granted)
            guard room > 0 else {
                dropped += 1
                return nil
            }
            end.store(start + granted + room, ordering: .relaxed)
        }
        return start + written
    }

    private func firstOfNextRun() -> Slot? {
        let (written, granted) = state
        store.giveBack(granted - written)
        end.store(next.load(ordering: .relaxed), ordering: .relaxed)
        let room = store.takeRoom(atMost: EventStore.runSize)
        guard room > 0 else {
            dropped += 1
            return nil
        }
        if used > 0 { runs[used - 1].count = written }
        if used == runs.count { runs.append(Run(start: store.takeRun())) }
        let first = runs[used].start
        ZeroedMemory.populate(first, EventStore.runBytes)
        used += 1
        next.store(first, ordering: .relaxed)
        end.store(first + room, ordering: .relaxed)
        return first
    }

    /// Of the last run: slots that are written, and those that may be.
    private var state: (written: Int, granted: Int) {
        guard used > 0, let next = next.load(ordering: .acquiring),
            let end = end.load(ordering: .relaxed)
        else { return (0, 0) }
        let start = runs[used - 1].start
        return (start.distance(to: next), start.distance(to: end))
    }

    private func begin() {
        used = 0
        dropped = 0
        next.store(nil, ordering: .relaxed)
        end.store(nil, ordering: .relaxed)
        originTime.store(store.origin.time, ordering: .relaxed)
        originSubject.store(store.origin.subject, ordering: .relaxed)
        generation.store(store.generation, ordering: .relaxed)
    }

    // MARK: Under the store's lock

    /// Shows each event of a recording, in the order in which they were written.
    ///
    /// - Returns: how many were dropped.
    func read(_ recording: UInt32, _ body: (Slot) -> Void) -> Int {
        guard self.recording == recording else { return 0 }
        let written = state.written
        for (number, run) in runs[..<used].enumerated() {
            let count = number == used - 1 ? written : run.count
            var slot = 0
            while slot < count {
                body(run.start + slot)
                slot += run.start[slot].count
            }
        }
        return dropped
    }
}
