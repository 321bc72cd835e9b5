/// The memory that runs of slots are cut from; it is kept for the life of the process, and empty
/// between two recordings.
///
/// Memory that is new is the costliest part of an event. So a recording takes that of its first half
/// million events when it starts, before there is anything to be disturbed.
///
/// ## Concurrency
/// Call from: one thread at a time; the store sees to that. Lock: none.
struct EventMemory {
    /// Slots in a segment.
    private static let segmentSize = 1 << 17
    private static let slotBytes = MemoryLayout<StoredEvent>.stride
    private static let segmentBytes = segmentSize * slotBytes
    /// Slots whose room is taken at a start: 8 MiB, of 18,000 small requests.
    private static let mostAtOnce = 1 << 19

    private var segments: [EventLog.Slot] = []
    /// Slots of all segments that no run has, at the end.
    private var unused = 0
    /// How many of all slots, from the first on, had their room taken at the start.
    private var prepared = 0

    mutating func takeRun() -> EventLog.Slot {
        if unused == 0 { addSegment() }
        let used = segments.count * Self.segmentSize - unused
        unused -= EventStore.runSize
        return segments[used / Self.segmentSize] + used % Self.segmentSize
    }

    private mutating func addSegment() {
        segments.append(
            ZeroedMemory.map(Self.segmentBytes).bindMemory(
                to: StoredEvent.self, capacity: Self.segmentSize))
        unused += Self.segmentSize
    }

    /// Takes the room of a recording's first events, or of all if they are fewer.
    mutating func prepare(first events: Int) {
        let count = min(events, Self.mostAtOnce)
        while segments.count * Self.segmentSize < count { addSegment() }
        prepared = 0
        for segment in segments where prepared < count {
            let slots = min(count - prepared, Self.segmentSize)
            ZeroedMemory.populate(segment, slots * Self.slotBytes)
            prepared += slots
        }
    }

    /// Takes the room of a run, unless that was done at the start.
    func prepare(_ run: EventLog.Slot) {
        let place = segments.firstIndex { (0..<Self.segmentSize).contains($0.distance(to: run)) }
        guard let place else { return }
        let end = place * Self.segmentSize + segments[place].distance(to: run) + EventStore.runSize
        if end > prepared {
            ZeroedMemory.populate(run, EventStore.runSize * Self.slotBytes)
        }
    }

    /// Gives everything back and keeps its place, for a thread may be in the middle of an event.
    mutating func empty() {
        for segment in segments { ZeroedMemory.empty(segment, Self.segmentBytes) }
        prepared = 0
    }
}
