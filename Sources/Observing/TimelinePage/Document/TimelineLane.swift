/// One row of the picture: a thread, a queue, the operations, the sockets or the server.
public struct TimelineLane: Codable, Sendable, Equatable {
    /// Unique in its era, such as "thread-main", "queue-processing", "operations".
    public var id: String
    /// Beside the lane.
    public var name: String
    /// How its bars lie.
    public var kind: Kind
    /// A sentence on its contents: the queue's label, the merged lanes.
    public var detail: String
    /// The bars, in any order.
    public var spans: [TimelineSpan]
    /// The dots, in any order.
    public var dots: [TimelineDot]

    /// A lane of these marks.
    public init(
        id: String, name: String, kind: Kind, detail: String = "", spans: [TimelineSpan] = [],
        dots: [TimelineDot] = []
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.detail = detail
        self.spans = spans
        self.dots = dots
    }

    /// Bars of threads and queues lie in each other; those of the other kinds below each other.
    public enum Kind: String, Codable, Sendable {
        case thread, queue, operations, lock, sockets, server
    }

    /// The last millisecond at which something in this lane ends.
    var end: Double {
        max(spans.map(\.end).max() ?? 0, dots.map(\.time).max() ?? 0)
    }
}
