import CTicks
import Foundation
import Synchronization

/// The events of one thread, in runs of slots that no other thread writes to.
///
/// So an event needs no lock and no atomic addition: it is written, and then the log says how far it
/// has come. Only where a run is full, or another recording has begun, the thread asks the store.
///
/// ## Concurrency
/// Call from: its thread; `read`, any. Lock: the store's, for a new run and for `read`. Calls out:
/// never.
final class EventLog: @unchecked Sendable {
    // @unchecked because `runs`, `used` and `dropped` are used under the store's lock alone.
    typealias Slot = UnsafeMutablePointer<StoredEvent>

    /// Slots in a row.
    struct Run {
        let start: Slot
        /// How many of them the recording may use.
        var room = 0
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
    /// - Returns: where it is kept.
    @inline(__always) @discardableResult
    func append(_ event: consuming StoredEvent) -> Slot? {
        guard let slot = freeSlot() else { return nil }
        slot.initialize(to: event)
        next.store(slot + 1, ordering: .releasing)
        cticks_prefetch(slot + 4)
        return slot
    }

    /// Adds the end of a span to its beginning, if that can still be done.
    ///
    /// - Parameter recording: the one that the beginning is of.
    @inline(__always)
    func end(_ slot: Slot?, of recording: UInt32, at end: UInt64) -> Bool {
        guard let slot, recording == store.generation else { return false }
        return slot.pointee.end(at: end)
    }

    /// The recording that slots were last taken for.
    var recording: UInt32 {
        @inline(__always) get { generation.load(ordering: .relaxed) }
    }

    @inline(__always)
    private func freeSlot() -> Slot? {
        let slot = next.load(ordering: .relaxed)
        if slot != end.load(ordering: .relaxed), recording == store.generation { return slot }
        return store.lock.withLock { firstOfRun() }
    }

    @inline(never)
    private func firstOfRun() -> Slot? {
        guard store.isOpen else { return nil }
        if recording != store.generation {
            used = 0
            dropped = 0
            generation.store(store.generation, ordering: .relaxed)
        }
        let room = store.takeRoom()
        guard room > 0 else {
            // So that each event asks again, and is counted.
            end.store(next.load(ordering: .relaxed), ordering: .relaxed)
            dropped += 1
            return nil
        }
        if used == runs.count { runs.append(Run(start: store.takeRun())) }
        runs[used].room = room
        let first = runs[used].start
        ZeroedMemory.populate(first, EventStore.runBytes)
        used += 1
        next.store(first, ordering: .relaxed)
        end.store(first + room, ordering: .relaxed)
        return first
    }

    // MARK: Under the store's lock

    /// Shows each event of a recording, in the order in which they were written.
    ///
    /// - Returns: how many were dropped.
    func read(_ recording: UInt32, _ body: (borrowing StoredEvent) -> Void) -> Int {
        guard self.recording == recording else { return 0 }
        let next = next.load(ordering: .acquiring)
        for (number, run) in runs[..<used].enumerated() {
            // Those before the last are full.
            let count = number == used - 1 ? next.map(run.start.distance) ?? 0 : run.room
            for slot in 0..<count { body(run.start[slot]) }
        }
        return dropped
    }
}
