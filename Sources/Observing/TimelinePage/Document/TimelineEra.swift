/// One run in a picture, with its tracks, numbers and outcomes.
public struct TimelineEra: Codable, Sendable, Equatable {
    /// Short, for the headings of tables, such as "connection" or "no port".
    public var name: String
    /// The colour of its tracks, bars and words.
    public var colour: Colour
    /// The heading of its tracks and tables, such as "connection era".
    public var heading: String
    /// A description, such as "operations on one network thread"; may be empty.
    public var title: String
    /// Measured numbers.
    public var facts: TimelineFacts
    /// The outcomes, in the order in which they are compared.
    public var outcomes: [TimelineOutcome]
    /// In the order of the picture, from the caller down to the sockets.
    public var tracks: [TimelineTrack]
    /// The least length of its axis, in milliseconds: a run may end long after its last mark.
    public var length = 0.0
    /// The chains of waiting threads at the moment at which the most threads wait.
    public var waits: [TimelineWait]

    /// The colours of the page, named after the era that each is used for.
    public enum Colour: String, Codable, Sendable, CaseIterable {
        case connection, session, request, foundation
    }

    /// A run with given tracks.
    ///
    /// - Parameters:
    ///   - name: short, for the headings of tables.
    ///   - colour: nil is the colour with the era's name, or else the connection era's.
    ///   - heading: the heading of its tracks.
    ///   - title: a description, may be empty.
    ///   - facts: measured numbers.
    ///   - outcomes: the outcomes, in the order in which they are compared.
    ///   - tracks: from the caller down to the sockets.
    ///   - waits: the chains of waiting threads.
    public init(
        _ name: String, colour: Colour? = nil, heading: String, title: String = "",
        facts: TimelineFacts = TimelineFacts(), outcomes: [TimelineOutcome] = [],
        tracks: [TimelineTrack], waits: [TimelineWait] = []
    ) {
        self.name = name
        self.colour = colour ?? Colour(rawValue: name) ?? .connection
        self.heading = heading
        self.title = title
        self.facts = facts
        self.outcomes = outcomes
        self.tracks = tracks
        self.waits = waits
    }

    /// The length of its axis, in milliseconds: until its last mark, its wall time or `length`, whichever is latest.
    var duration: Double {
        let ends = tracks.map(\.end) + [facts.wallMilliseconds ?? 0, length]
        return max(ends.filter(\.isFinite).max() ?? 0, 0.001)
    }
}

/// A chain of threads that wait for locks.
public struct TimelineWait: Codable, Sendable, Equatable {
    /// A thread, then the lock for which it waits, then that lock's owner, and so on.
    public var members: [String]
    /// Whether the last thread waits for the first: a deadlock.
    public var isCircle: Bool

    /// A chain.
    public init(members: [String], isCircle: Bool) {
        self.members = members
        self.isCircle = isCircle
    }
}

/// The numbers of a run; nil where a number was not measured.
public struct TimelineFacts: Codable, Sendable, Equatable {
    /// How its results compare with those of another era.
    public var result: String?
    /// How fast it was compared with that era.
    public var pace: String?
    /// The time until everything was done; nil draws no line there.
    public var wallMilliseconds: Double?
    /// The shortest and the longest of all runs.
    public var wallRange: [Double]?
    /// Processor time of the process.
    public var processorMilliseconds: Double?
    /// The server's count of requests.
    public var requests: Int?
    /// The server's count of connections.
    public var connections: Int?
    /// The most threads that the process had at one time.
    public var threads: Int?
    /// How often a thread had locked the same lock at most.
    public var peakLockDepth: Int?

    /// Numbers, of which those that are nil are not shown.
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
    /// The callback, or the property that was read.
    public var callback: String
    /// The thread or queue on which it was called.
    public var thread: String
    /// The outcome, as text.
    public var value: String

    /// An outcome, which is compared with those of the same callback in the other eras.
    public init(callback: String, thread: String, value: String) {
        self.callback = callback
        self.thread = thread
        self.value = value
    }
}
