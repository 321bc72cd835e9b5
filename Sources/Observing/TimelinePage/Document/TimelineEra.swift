/// One run in a picture: its lanes, its numbers and its outcomes.
public struct TimelineEra: Codable, Sendable, Equatable {
    /// Short, for the heads of tables, such as "connection" or "no port".
    public var name: String
    /// The colour of its lanes, bars and words.
    public var colour: Colour
    /// What it is called over its lanes and tables, such as "connection era".
    public var heading: String
    /// A description, such as "operations on one network thread"; may be empty.
    public var title: String
    /// Measured numbers.
    public var facts: TimelineFacts
    /// The outcomes, in the order in which they are compared.
    public var outcomes: [TimelineOutcome]
    /// From the caller down to the sockets.
    public var lanes: [TimelineLane]
    /// How long its axis is at least, in milliseconds: a run may end long after its last mark.
    public var length = 0.0
    /// Chains of those that wait for each other when the most do, each from its first on.
    public var waits: [TimelineWait]

    /// The colours of the page, by the era that each is used for.
    public enum Colour: String, Codable, Sendable, CaseIterable {
        case connection, session, request, foundation
    }

    /// A run with lanes of its own.
    ///
    /// - Parameters:
    ///   - name: short, for the heads of tables.
    ///   - colour: nil takes the colour whose name the era has, or else the connection era's.
    ///   - heading: what it is called over its lanes.
    ///   - title: a description, may be empty.
    ///   - facts: measured numbers.
    ///   - outcomes: the outcomes, in the order in which they are compared.
    ///   - lanes: from the caller down to the sockets.
    ///   - waits: chains of those that wait for each other.
    public init(
        _ name: String, colour: Colour? = nil, heading: String, title: String = "",
        facts: TimelineFacts = TimelineFacts(), outcomes: [TimelineOutcome] = [],
        lanes: [TimelineLane], waits: [TimelineWait] = []
    ) {
        self.name = name
        self.colour = colour ?? Colour(rawValue: name) ?? .connection
        self.heading = heading
        self.title = title
        self.facts = facts
        self.outcomes = outcomes
        self.lanes = lanes
        self.waits = waits
    }

    /// Milliseconds until its last event.
    var duration: Double {
        let ends = lanes.map(\.end) + [facts.wallMilliseconds ?? 0, length]
        return max(ends.max() ?? 0, 0.001)
    }
}

/// Who waits for whom: threads and locks in turn, the first waits for the second.
public struct TimelineWait: Codable, Sendable, Equatable {
    /// A thread, then the lock that it waits for, then that lock's holder, and so on.
    public var members: [String]
    /// Whether the last waits for the first, so that nobody goes on.
    public var isCircle: Bool

    /// A chain.
    public init(members: [String], isCircle: Bool) {
        self.members = members
        self.isCircle = isCircle
    }
}

/// The numbers beside a picture; nil where a number was not measured.
public struct TimelineFacts: Codable, Sendable, Equatable {
    /// The results beside those of the era with which it is compared.
    public var result: String?
    /// How fast it was beside that era.
    public var pace: String?
    /// From the beginning to when everything was done; nil draws no line there.
    public var wallMilliseconds: Double?
    /// The shortest and the longest of all runs.
    public var wallRange: [Double]?
    /// Processor time of the process.
    public var processorMilliseconds: Double?
    /// As the server counted them.
    public var requests: Int?
    /// As the server counted them.
    public var connections: Int?
    /// The most threads that the process had at one time.
    public var threads: Int?
    /// How many times a thread held the same lock at most.
    public var peakLockDepth: Int?

    /// Numbers; what is nil is not shown.
    public init(
        result: String? = nil, pace: String? = nil, wallMilliseconds: Double? = nil,
        wallRange: [Double]? = nil, processorMilliseconds: Double? = nil, requests: Int? = nil,
        connections: Int? = nil, threads: Int? = nil, peakLockDepth: Int? = nil
    ) {
        self.result = result
        self.pace = pace
        self.wallMilliseconds = wallMilliseconds
        self.wallRange = wallRange
        self.processorMilliseconds = processorMilliseconds
        self.requests = requests
        self.connections = connections
        self.threads = threads
        self.peakLockDepth = peakLockDepth
    }

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
public struct TimelineOutcome: Codable, Sendable, Equatable {
    /// What was called, or what was asked.
    public var callback: String
    /// Where it was called.
    public var thread: String
    /// The outcome, as text.
    public var value: String

    /// An outcome, compared with those of the same name in the other eras.
    public init(callback: String, thread: String, value: String) {
        self.callback = callback
        self.thread = thread
        self.value = value
    }
}
