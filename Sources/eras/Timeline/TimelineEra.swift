/// One era in one scenario.
struct TimelineEra: Codable, Sendable, Equatable {
    /// "connection", "session", "request" or "foundation": chooses the colour.
    var name: String
    /// What it is called over its lanes and tables, such as "connection era".
    var heading: String
    /// A description, such as "operations on one network thread"; may be empty.
    var title = ""
    var facts = TimelineFacts()
    var outcomes: [TimelineOutcome] = []
    /// At most seven lanes, from the caller down to the sockets.
    var lanes: [TimelineLane]
}

/// The numbers beside a picture; nil where a number was not measured.
struct TimelineFacts: Codable, Sendable, Equatable {
    /// The results beside those of the era with which it is compared.
    var result: String?
    /// How fast it was beside that era.
    var pace: String?
    var wallMilliseconds: Double?
    /// The shortest and the longest of all runs.
    var wallRange: [Double]?
    var processorMilliseconds: Double?
    /// As the server counted them.
    var requests: Int?
    /// As the server counted them.
    var connections: Int?
    /// The most threads that the process had at one time.
    var threads: Int?
    var peakLockDepth: Int?

    enum CodingKeys: String, CodingKey {
        case result, pace
        case wallMilliseconds = "wall_ms"
        case wallRange = "wall_range_ms"
        case processorMilliseconds = "cpu_ms"
        case requests, connections, threads
        case peakLockDepth = "peak_lock_depth"
    }
}

/// One outcome: a callback, its thread, and its value.
struct TimelineOutcome: Codable, Sendable, Equatable {
    var callback: String
    var thread: String
    var value: String
}
