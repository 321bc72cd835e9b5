import Foundation
import Synchronization

/// Where events lie while they are recorded: a table of segments, each made when its first event
/// comes.
///
/// A writer reserves a slot with one atomic addition, fills it and marks it. A closed store hands
/// out no slots, so what was reserved when it closed is all there is. The end of a span may come
/// later still: its slot stays where it is, emptied, and takes no end that is not its own.
///
/// ## Concurrency
/// Call from: `append`, any thread; the others, one thread at a time. Lock: none. Calls out: never.
struct EventStore: ~Copyable {
    /// Events in a segment, and segments in the table.
    private static let segmentSize = 1 << 17
    private static let segmentCount = 1 << 8
    /// The most events that a store can hold.
    static let limit = segmentSize * segmentCount
    private static let closed = 1 << 62

    /// As `StoredEvent`. The length is written last, and then by whoever ends the span.
    private struct Slot: ~Copyable {
        var event: Event
        let length: Atomic<UInt32>
    }
    private typealias Segment = UnsafeMutablePointer<Slot>

    /// The next slot. A recording with less than `limit` slots begins behind the first, so that
    /// being full is the same for all.
    private let next = Atomic(closed)
    private let segments: UnsafeMutablePointer<Atomic<Segment?>>

    init() {
        segments = .allocate(capacity: Self.segmentCount)
        for index in 0..<Self.segmentCount { (segments + index).initialize(to: Atomic(nil)) }
    }

    // MARK: Any thread

    /// Keeps an event; drops it if the store is full or closed.
    ///
    /// - Returns: where it is kept.
    @inline(__always) @discardableResult
    func append(_ event: StoredEvent) -> Int? {
        guard let index = reserve() else { return nil }
        write(event, at: index)
        return index
    }

    /// A slot that the caller must fill soon; nil if the store is full or closed.
    @inline(__always)
    func reserve() -> Int? {
        let index = next.wrappingAdd(1, ordering: .acquiring).oldValue
        return index < Self.limit ? index : nil
    }

    @inline(__always)
    func write(_ event: StoredEvent, at index: Int) {
        let slot = slot(index)
        slot.pointee.event = event.event
        slot.pointee.length.store(event.length, ordering: .releasing)
    }

    /// Makes the beginning of a span the whole of it.
    ///
    /// - Returns: whether it was still there, and is not too long for it.
    @inline(__always)
    func close(_ index: Int, from begin: UInt64, to end: UInt64) -> Bool {
        guard let length = StoredEvent.length(from: begin, to: end) else { return false }
        return slot(index).pointee.length.compareExchange(
            expected: StoredEvent.sign(ofSpanFrom: begin), desired: length, ordering: .relaxed
        ).exchanged
    }

    @inline(__always)
    private func slot(_ index: Int) -> Segment {
        segment(index / Self.segmentSize) + index % Self.segmentSize
    }

    @inline(__always)
    private func segment(_ index: Int) -> Segment {
        segments[index].load(ordering: .acquiring) ?? makeSegment(index)
    }

    @inline(never)
    private func makeSegment(_ index: Int) -> Segment {
        // Zeros are slots that nobody has written to.
        let made = ZeroedMemory.map(Self.segmentBytes).bindMemory(
            to: Slot.self, capacity: Self.segmentSize)
        let (isFirst, there) = segments[index].compareExchange(
            expected: nil, desired: made, ordering: .acquiringAndReleasing)
        guard !isFirst, let there else { return made }
        ZeroedMemory.unmap(made, Self.segmentBytes)
        return there
    }

    private static var segmentBytes: Int { segmentSize * MemoryLayout<Slot>.stride }

    // MARK: One thread at a time

    /// Takes events from now on.
    func open(capacity: Int) {
        // The first to write would wait while the system clears the memory.
        let first = Self.limit - capacity
        let place = first % Self.segmentSize
        ZeroedMemory.prepare(
            segment(first / Self.segmentSize) + place,
            min(capacity, Self.segmentSize - place) * MemoryLayout<Slot>.stride)
        next.store(Self.limit - capacity, ordering: .releasing)
    }

    /// What a closed store held.
    struct Content {
        var events: [StoredEvent] = []
        /// Events beyond the capacity, and those that nobody finished writing.
        var dropped = 0
        /// Whether each writer has finished; if not, the store must not be used again.
        var isComplete = true
    }

    /// Takes no more events, waits for those being written, and hands over all.
    ///
    /// - Parameters:
    ///   - capacity: as at `open(capacity:)`.
    ///   - patience: nanoseconds that it waits at most for writers.
    func close(capacity: Int, patience: UInt64) -> Content {
        let reserved = next.exchange(Self.closed, ordering: .acquiringAndReleasing)
        let slots = Self.limit - capacity..<min(reserved, Self.limit)
        let deadline = MonotonicClock.now + patience
        var content = Content(dropped: max(0, reserved - Self.limit))
        content.events.reserveCapacity(slots.count)
        for index in slots {
            if let event = event(at: index, until: deadline) {
                content.events.append(event)
            } else {
                content.dropped += 1
                content.isComplete = false
            }
        }
        if content.isComplete { emptySegments(of: slots) }
        return content
    }

    private func event(at index: Int, until deadline: UInt64) -> StoredEvent? {
        repeat {
            if let segment = segments[index / Self.segmentSize].load(ordering: .acquiring) {
                let slot = segment + index % Self.segmentSize
                let length = slot.pointee.length.load(ordering: .acquiring)
                if length != 0 { return StoredEvent(slot.pointee.event, length) }
            }
            sched_yield()
        } while MonotonicClock.now < deadline
        return nil
    }

    /// The first segment's memory is kept for the next recording; of the others only the place is,
    /// for a writer may be about to end a span there.
    private func emptySegments(of slots: Range<Int>) {
        let first = slots.lowerBound / Self.segmentSize
        if let segment = segments[first].load(ordering: .acquiring) {
            for slot in slots.prefix(while: { $0 / Self.segmentSize == first }) {
                (segment + slot % Self.segmentSize).pointee.length.store(0, ordering: .relaxed)
            }
        }
        for index in 0..<Self.segmentCount where index != first {
            if let segment = segments[index].load(ordering: .acquiring) {
                ZeroedMemory.empty(segment, Self.segmentBytes)
            }
        }
    }
}
