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

    /// Written by its thread, for more room under the store's lock.
    let cursor = UnsafeMutablePointer<EventCursor>.allocate(capacity: 1)

    // MARK: Guarded by the store's lock

    private(set) var runs: [Run] = []
    /// The runs that hold events of this recording.
    private var used = 0
    private var dropped = 0

    init(of thread: UInt32, in store: EventStore) {
        self.thread = thread
        self.store = store
        cursor.initialize(to: EventCursor(for: self, store))
    }

    deinit {
        cursor.deinitialize(count: 1)
        cursor.deallocate()
    }

    // MARK: Its thread

    /// What turned out later to have happened at a time of the monotonic clock.
    func appendLate(_ event: Event) {
        store.lock.withLock { appendWide(event, isInNanoseconds: true) }
    }

    func appendSlowly(_ event: Event) -> Slot? {
        store.lock.withLock { append(event) }
    }

    /// The same for a span that is over: as one event, else as two. One that began before the
    /// recording is left out.
    func appendSlowly(_ event: Event, length: UInt64) -> Slot? {
        store.lock.withLock {
            guard event.time >= store.origin.time else { return nil }
            if let slot = append(event, length: length) { return slot }
            var end = event
            end.phase = .end
            end.time += length - 1
            _ = append(end)
            return nil
        }
    }

    /// An exchange, if its texts are of the recording that is made now.
    func appendSlowly(_ exchange: StoredExchange, of recording: UInt32) {
        store.lock.withLock {
            guard recording == store.generation else { return }
            let numbers = exchange.slotCount
            let count = StoredEvent.wideCount + numbers
            guard let slots = places(for: count) else { return }
            StoredEvent.writeWide(exchange.end, numbers: UInt64(numbers), to: slots)
            exchange.write(to: slots + StoredEvent.wideCount)
            cursor.pointee.next.store(slots + count, ordering: .releasing)
        }
    }

    // MARK: Its thread, under the store's lock

    /// - Returns: where it is kept, if it is, and whole.
    private func append(_ event: Event, length: UInt64 = 0) -> Slot? {
        guard let slot = place(for: 1) else { return nil }
        let shape = StoredEvent.Shape(event.kind, event.phase)
        guard
            let stored = StoredEvent(
                shape, event.subject, event.value, event.text, at: event.time, length: length,
                from: cursor.pointee.origin)
        else {
            appendWide(event)
            return nil
        }
        slot.initialize(to: stored)
        cursor.pointee.next.store(slot + 1, ordering: .releasing)
        return slot
    }

    private func appendWide(_ event: Event, isInNanoseconds: Bool = false) {
        guard let slots = places(for: StoredEvent.wideCount) else { return }
        StoredEvent.writeWide(event, isInNanoseconds: isInNanoseconds, to: slots)
        cursor.pointee.next.store(slots + StoredEvent.wideCount, ordering: .releasing)
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
        if cursor.pointee.recording != store.generation { begin() }
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
        ZeroedMemory.populate(first, EventStore.runBytes)
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
        cursor.pointee.next.store(nil, ordering: .relaxed)
        cursor.pointee.end.store(nil, ordering: .relaxed)
        cursor.pointee.originTime.store(store.origin.time, ordering: .relaxed)
        cursor.pointee.originSubject.store(store.origin.subject, ordering: .relaxed)
        cursor.pointee.generation.store(store.generation, ordering: .relaxed)
    }

    // MARK: Under the store's lock

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
