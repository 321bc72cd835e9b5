/// One track of a picture: a thread, a queue, the operations, the sockets or the server.
public struct TimelineTrack: Codable, Sendable, Equatable {
    /// Unique in its era, such as "thread-main", "queue-processing", "operations".
    public var id: String
    /// The label beside the track.
    public var name: String
    /// How its bars are arranged.
    public var kind: Kind
    /// A sentence on its contents, such as the queue's label or the merged tracks.
    public var detail: String
    /// The bars, in any order.
    public var spans: [TimelineSpan]
    /// The dots, in any order.
    public var dots: [TimelineDot]

    /// A track of these marks.
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

    /// Bars of threads and queues are nested; those of the other kinds are in rows.
    public enum Kind: String, Codable, Sendable {
        case thread, queue, operations, lock, sockets, server
    }

    /// When its last bar or dot ends, in milliseconds.
    var end: Double {
        max(spans.map(\.end).max() ?? 0, dots.map(\.time).max() ?? 0)
    }
}
