/// One row of the picture: a thread, a queue, the operations, the sockets or the server.
struct TimelineLane: Codable, Sendable, Equatable {
    /// Unique in its era, such as "thread-main", "queue-processing", "operations".
    var id: String
    var name: String
    var kind: Kind
    /// A sentence on its contents: the queue's label, the merged lanes.
    var detail = ""
    var spans: [TimelineSpan] = []
    var dots: [TimelineDot] = []

    enum Kind: String, Codable, Sendable {
        case thread, queue, operations, sockets, server
    }

    /// The last millisecond at which something in this lane ends.
    var end: Double {
        max(spans.map(\.end).max() ?? 0, dots.map(\.time).max() ?? 0)
    }
}

/// A bar, in milliseconds on the scenario's axis.
struct TimelineSpan: Codable, Sendable, Equatable {
    var start: Double
    var end: Double
    /// How long it waited in a queue before the start; drawn as a line that leads to the bar.
    var waited = 0.0
    /// The name besides the kind, such as "GET /items/3"; may be empty.
    var name: String
    var kind: Kind
    /// The subject, numbered within the era, such as "operation 3"; empty for none.
    var subject = ""
    /// The lock depth, or the number of calls around it.
    var depth = 0
    /// The line within the lane, for bars that may not overlap.
    var row = 0
    var detail = ""
    /// No end was recorded: drawn to the end of the recording.
    var isUnfinished = false
    /// How many marks it stands for.
    var count = 1

    /// The kind, which decides how it is drawn.
    enum Kind: String, Codable, Sendable, CaseIterable {
        case asleep
        case block
        case delegateCall = "delegate call"
        case callback
        case serialization
        case lockHeld = "lock held"
        case lockWait = "lock wait"
        /// Enqueued, and never started.
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

/// A dot, in milliseconds on the scenario's axis.
struct TimelineDot: Codable, Sendable, Equatable {
    var time: Double
    var name: String
    var kind: Kind
    var subject = ""
    var row = 0
    var detail = ""
    /// How many bytes were received or sent; merged dots have the sum.
    var bytes: Int64 = 0
    /// How many marks it stands for.
    var count = 1

    /// The kind, which decides how it is drawn.
    enum Kind: String, Codable, Sendable, CaseIterable {
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
