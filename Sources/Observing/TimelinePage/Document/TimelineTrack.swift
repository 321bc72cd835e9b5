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

/// A bar of a picture. Times are in milliseconds on the axis.
public struct TimelineSpan: Codable, Sendable, Equatable {
    /// When it began.
    public var start: Double
    /// When it ended.
    public var end: Double
    /// How long it waited in a queue before the start; drawn as a line before the bar.
    public var waited: Double
    /// The name in addition to the kind, such as "GET /items/3"; may be empty.
    public var name: String
    /// How it is drawn, and what the tables call it.
    public var kind: Kind
    /// The subject, numbered within the era, such as "operation 3"; empty for none.
    public var subject: String
    /// How often the lock was locked by its thread, or how many calls the bar is nested in.
    public var depth: Int
    /// The row within the track, for bars that may not overlap.
    public var row: Int
    /// Further text for the table; may be empty.
    public var detail: String
    /// Whether no end was recorded; the bar is drawn to the end of the recording.
    public var isUnfinished: Bool
    /// How many marks were merged into it.
    public var count: Int

    /// A bar between two times in milliseconds.
    public init(
        start: Double, end: Double, waited: Double = 0, name: String, kind: Kind,
        subject: String = "", depth: Int = 0, row: Int = 0, detail: String = "",
        isUnfinished: Bool = false, count: Int = 1
    ) {
        self.start = start
        self.end = end
        self.waited = waited
        self.name = name
        self.kind = kind
        self.subject = subject
        self.depth = depth
        self.row = row
        self.detail = detail
        self.isUnfinished = isUnfinished
        self.count = count
    }

    /// The kind, which decides how it is drawn.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case asleep
        /// On a processor, as much as was measured between two readings.
        case computing = "on a processor"
        case block
        case delegateCall = "delegate call"
        case callback
        case serialization
        case lockHeld = "lock held"
        case lockWait = "lock wait"
        /// Enqueued and never started.
        case waiting
        case operation
        case task
        case request
        case paused
        case transfer
        case socket
        case connecting
        case handshake
        case serverConnection = "connection"
        case serverExchange = "exchange"
    }
}

/// A dot of a picture: an event at one time.
public struct TimelineDot: Codable, Sendable, Equatable {
    /// When it happened, in milliseconds on the axis.
    public var time: Double
    /// The name in addition to the kind, such as "status 200"; may be empty.
    public var name: String
    /// How it is drawn, and what the tables call it.
    public var kind: Kind
    /// The subject, numbered within the era, such as "operation 3"; empty for none.
    public var subject: String
    /// The row within the track.
    public var row: Int
    /// Further text for the table; may be empty.
    public var detail: String
    /// How many bytes were received or sent; merged dots have the sum.
    public var bytes: Int64
    /// How many marks were merged into it.
    public var count: Int

    /// A dot at a time in milliseconds.
    public init(
        time: Double, name: String, kind: Kind, subject: String = "", row: Int = 0,
        detail: String = "", bytes: Int64 = 0, count: Int = 1
    ) {
        self.time = time
        self.name = name
        self.kind = kind
        self.subject = subject
        self.row = row
        self.detail = detail
        self.bytes = bytes
        self.count = count
    }

    /// The kind, which decides how it is drawn.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case callback
        /// A callback with an error.
        case failure
        case progress
        case cancelled
        case submitted
        case enqueued
        case mode
        case head = "response head"
        case received
        case sent
        case note
    }
}
