import Foundation
import Synchronization

/// The events of one thread, in runs of slots that no other thread writes to.
///
/// Its thread writes at the log's cursor. Only where a run is full, or another recording has begun,
/// it asks here.
///
/// ## Concurrency
/// Call from: its thread; `read`, any. Lock: the store's. Calls out: never.
final class EventLog: @unchecked Sendable {
    // @unchecked because what changes is used under the store's lock alone.
    typealias Slot = UnsafeMutablePointer<StoredEvent>

    /// Slots in a row, and how many of them a recording has used, once it uses the next run.
    struct Run {
        let start: Slot
        var count = 0
    }

    // MARK: Set once

    let thread: UInt32
    let store: EventStore

    /// Written by its thread, for more room under the store's lock. In one line of the cache.
    let cursor = UnsafeMutableRawPointer.allocate(
        byteCount: MemoryLayout<EventCursor>.size, alignment: 64
    ).bindMemory(to: EventCursor.self, capacity: 1)

    // MARK: Guarded by the store's lock

    /// In the store's list.
    var place = 0
    private(set) var runs: [Run] = []
    /// The runs that hold events of this recording.
    private var used = 0
    private var dropped = 0

    init(of thread: UInt32, in store: EventStore) {
        self.thread = thread
        self.store = store
        cursor.initialize(to: EventCursor(for: self))
    }

    deinit {
        cursor.deinitialize(count: 1)
        cursor.deallocate()
    }

    // MARK: Its thread

    /// What turned out later to have happened at a time of the monotonic clock.
    func appendLate(_ event: Event) {
        _ = store.lock.withLock { keepWide(event, isInNanoseconds: true) }
    }

    /// An operation's edge of state and its beginning or end take two places here.
    ///
    /// - Returns: where it is kept, if it is.
    func append(_ event: Event, isMove: Bool) -> Slot? {
        store.lock.withLock {
            guard isMove else { return keep(event) }
            let (edge, operation) = StateEdge.unfolded(event)
            _ = keep(edge)
            return keep(operation)
        }
    }

    /// The end of a span that does not fit into its beginning; without that it is dropped too.
    func end(_ slot: Slot?, from begin: UInt64, to end: UInt64) {
        store.lock.withLock {
            guard store.isOpen, cursor.pointee.recording == store.recording,
                begin >= store.origin.time
            else { return }
            guard let slot, var event = StoredEvent.event(slot, thread, store.origin) else {
                dropped += 1
                return
            }
            (event.phase, event.time) = (.end, end)
            _ = keep(event)
        }
    }

    /// An exchange, if its texts are of the recording that is made now.
    func append(_ exchange: StoredExchange, of recording: UInt32) {
        store.lock.withLock {
            guard recording == store.recording else { return }
            let numbers = exchange.slotCount
            let count = StoredEvent.wideCount + numbers
            guard let slots = places(for: count) else { return }
            StoredEvent.writeWide(exchange.end, numbers: UInt64(numbers), to: slots)
            exchange.write(to: slots + StoredEvent.wideCount)
            cursor.pointee.next.store(slots + count, ordering: .releasing)
        }
    }

    // MARK: Its thread, under the store's lock

    private func keep(_ event: Event) -> Slot? {
        guard let slot = place(for: 1) else { return nil }
        let shape = StoredEvent.Shape(event.kind, event.phase)
        guard
            let stored = StoredEvent(
                shape, event.subject, event.value, event.text, at: event.time,
                from: cursor.pointee.origin(of: store.recording))
        else { return keepWide(event) }
        slot.initialize(to: stored)
        cursor.pointee.next.store(slot + 1, ordering: .releasing)
        return slot
    }

    private func keepWide(_ event: Event, isInNanoseconds: Bool = false) -> Slot? {
        guard let slots = places(for: StoredEvent.wideCount) else { return nil }
        StoredEvent.writeWide(event, isInNanoseconds: isInNanoseconds, to: slots)
        cursor.pointee.next.store(slots + StoredEvent.wideCount, ordering: .releasing)
        return slots
    }

    /// Several slots for the room of one event: the run's end moves on by the others.
    private func places(for slots: Int) -> Slot? {
        guard let first = place(for: slots) else { return nil }
        let granted = state.granted + slots - 1
        let start = runs[used - 1].start
        store.giveBack(max(0, granted - EventStore.runSize))
        cursor.pointee.end.store(start + min(granted, EventStore.runSize), ordering: .relaxed)
        return first
    }

    /// Where the next event begins, once there is room for one: in this run, or else in another.
    private func place(for slots: Int) -> Slot? {
        guard store.isOpen else { return nil }
        if cursor.pointee.recording != store.recording { begin() }
        let (written, granted) = state
        if used == 0 || written + slots > EventStore.runSize { return firstOfNextRun() }
        let start = runs[used - 1].start
        if granted == written {
            let room = store.takeRoom(atMost: EventStore.runSize - granted)
            guard room > 0 else {
                dropped += 1
                return nil
            }
            cursor.pointee.end.store(start + granted + room, ordering: .relaxed)
        }
        return start + written
    }

    private func firstOfNextRun() -> Slot? {
        let (written, granted) = state
        store.giveBack(granted - written)
        cursor.pointee.end.store(cursor.pointee.next.load(ordering: .relaxed), ordering: .relaxed)
        let room = store.takeRoom(atMost: EventStore.runSize)
        guard room > 0 else {
            dropped += 1
            return nil
        }
        if used > 0 { runs[used - 1].count = written }
        if used == runs.count { runs.append(Run(start: store.takeRun())) }
        let first = runs[used].start
        store.prepare(first)
        used += 1
        cursor.pointee.next.store(first, ordering: .relaxed)
        cursor.pointee.end.store(first + room, ordering: .relaxed)
        return first
    }

    /// Of the last run: slots that are written, and those that may be.
    private var state: (written: Int, granted: Int) {
        guard used > 0, let next = cursor.pointee.next.load(ordering: .acquiring),
            let end = cursor.pointee.end.load(ordering: .relaxed)
        else { return (0, 0) }
        let start = runs[used - 1].start
        return (start.distance(to: next), start.distance(to: end))
    }

    private func begin() {
        used = 0
        dropped = 0
        cursor.pointee.begin(store.recording, from: store.origin)
    }

    // MARK: Under the store's lock

    /// Whether it took slots in a recording.
    func hasEvents(of recording: UInt32) -> Bool {
        cursor.pointee.recording == recording && used > 0
    }

    /// Shows each event of a recording, in the order in which they were written.
    ///
    /// - Returns: how many were dropped.
    func read(_ recording: UInt32, _ body: (Slot) -> Void) -> Int {
        guard cursor.pointee.recording == recording else { return 0 }
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
