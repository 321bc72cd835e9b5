/// An event as it is kept until the recording stops; its time is in ticks.
struct StoredEvent {
    var event: Event
    /// Of a span that is kept as one: its ticks and one more. Of another: what its time is in.
    private var length: UInt32

    private static let isMoment: UInt32 = 0
    private static let isInNanoseconds: UInt32 = .max

    init(_ event: Event) {
        self.event = event
        length = Self.isMoment
    }

    /// What turned out later to have happened at a time of the monotonic clock.
    static func late(_ event: Event) -> StoredEvent {
        var stored = StoredEvent(event)
        stored.length = isInNanoseconds
        return stored
    }

    /// A span, whose event is its beginning; nil where it is too long to be kept as one.
    init?(_ event: Event, until end: UInt64) {
        let ticks = end &- event.time
        guard ticks < Self.isInNanoseconds - 1 else { return nil }
        self.event = event
        length = UInt32(ticks) + 1
    }

    /// The event, or the beginning and the end of a span; in ticks.
    func unfolded(_ scale: TickScale) -> (Event, end: Event?) {
        var first = event
        switch length {
        case Self.isMoment:
            return (first, nil)
        case Self.isInNanoseconds:
            first.time = scale.ticks(event.time)
            return (first, nil)
        default:
            first.phase = .begin
            var last = event
            last.phase = .end
            last.time += UInt64(length) - 1
            return (first, last)
        }
    }
}
