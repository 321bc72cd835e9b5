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
