public import Foundation

/// What happened between a start and a stop of the recorder, by time.
public struct Recording: Sendable, Equatable, Codable {
    /// The events by time; those of one thread in the order in which it recorded them.
    public var events: [Event]
    /// The names of threads by kernel id; "main" is a process's first thread.
    public var threads: [UInt32: String]
    /// The processes; the first one has all threads that no other names.
    public var processes: [Process]
    /// HTTP exchanges, in the order in which they ended.
    public var exchanges: [ExchangeRecord]
    /// How many events and exchanges exceeded the capacity.
    public var dropped: Int
    /// How many texts exceeded their limit: "(text left out)" replaces one in an event, and an
    /// exchange is ``ExchangeRecord/isIncomplete``.
    public var textsLeftOut = 0
    /// Whether nothing was dropped and no text left out.
    public var isComplete: Bool { dropped == 0 && textsLeftOut == 0 }
    var texts = RetainedTexts()
    /// The start, in nanoseconds by the clock of ``Event/time``.
    public var startTime: UInt64
    /// The start as a date, in whole milliseconds.
    public var startDate: Date

    /// A process whose events are recorded.
    public struct Process: Sendable, Hashable, Codable {
        /// Its id in the system.
        public var number: UInt32
        /// Its name.
        public var name: String
        /// The threads that are its own; empty for the first, which has the others.
        public var threads: Set<UInt32> = []
    }

    /// Makes a recording of one process.
    public init(
        events: [Event] = [], threads: [UInt32: String] = [:], exchanges: [ExchangeRecord] = [],
        dropped: Int = 0, startTime: UInt64 = 0, startDate: Date = Date(timeIntervalSince1970: 0),
        process: String = "", processNumber: UInt32 = 0
    ) {
        self.events = events
        self.threads = threads
        self.exchanges = exchanges
        self.dropped = dropped
        self.startTime = startTime
        self.startDate = Timestamp.inMilliseconds(startDate)
        processes = [Process(number: processNumber, name: process)]
    }

    /// The name of the process that made the recording.
    public var process: String { processes.first?.name ?? "" }

    /// An event's text; empty if it has none.
    public func text(of event: Event) -> String {
        withExtendedLifetime(texts) { event.text.string }
    }
}

/// Retains a recording's texts without being part of its value: all compare equal.
struct RetainedTexts: Sendable, Equatable {
    var all: [TextList] = []

    static func == (one: RetainedTexts, other: RetainedTexts) -> Bool { true }
}

extension Recording {
    private enum CodingKeys: String, CodingKey {
        case events, threads, processes, exchanges, dropped, textsLeftOut, startTime, startDate
    }

    /// Reads a recording and retains its texts.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let list = TextTable.beginReading()
        events = try TextTable.$decoded.withValue(list) {
            try container.decode([Event].self, forKey: .events)
        }
        texts.all = [list]
        threads = try container.decode([UInt32: String].self, forKey: .threads)
        processes = try container.decode([Process].self, forKey: .processes)
        exchanges = try container.decode([ExchangeRecord].self, forKey: .exchanges)
        dropped = try container.decode(Int.self, forKey: .dropped)
        textsLeftOut = try container.decodeIfPresent(Int.self, forKey: .textsLeftOut) ?? 0
        startTime = try container.decode(UInt64.self, forKey: .startTime)
        startDate = try container.decode(Date.self, forKey: .startDate)
    }
}
