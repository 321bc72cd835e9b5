/// An event as it is kept until the recording stops; its time is in ticks.
struct StoredEvent {
    var event: Event
    /// Of a span that is kept as one: its ticks and one more. Of another: one of the signs below.
    ///
    /// Never 0, which is what memory holds that nobody has written to.
    var length: UInt32

    private static let isMoment: UInt32 = 0x7FFF_FFFF
    private static let isInNanoseconds: UInt32 = 0x7FFF_FFFE
    private static let isOpen: UInt32 = 0x8000_0000

    init(_ event: Event) {
        self.event = event
        length = Self.isMoment
    }

    /// As it was kept.
    init(_ event: Event, _ length: UInt32) {
        self.event = event
        self.length = length
    }

    /// What turned out later to have happened at a time of the monotonic clock.
    static func late(_ event: Event) -> StoredEvent {
        var stored = StoredEvent(event)
        stored.length = isInNanoseconds
        return stored
    }

    /// The beginning of a span, which becomes the whole of it when its length is set.
    init(opening event: Event) {
        self.event = event
        length = Self.sign(ofSpanFrom: event.time)
    }

    /// A span, whose event is its beginning; nil where it is too long to be kept as one.
    init?(_ event: Event, until end: UInt64) {
        guard let length = Self.length(from: event.time, to: end) else { return nil }
        self.event = event
        self.length = length
    }

    /// The length of an open span. Two that had the same place, in two recordings, differ in it.
    static func sign(ofSpanFrom begin: UInt64) -> UInt32 {
        isOpen | UInt32(truncatingIfNeeded: begin)
    }

    /// The length of a span that is over; nil where it is too long to be kept as one.
    static func length(from begin: UInt64, to end: UInt64) -> UInt32? {
        let ticks = end &- begin
        return ticks < isInNanoseconds - 1 ? UInt32(ticks) + 1 : nil
    }

    /// The event, or the beginning and the end of a span; in ticks.
    func unfolded(_ scale: TickScale) -> (Event, end: Event?) {
        var first = event
        switch length {
        case Self.isMoment, Self.isOpen...:
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
