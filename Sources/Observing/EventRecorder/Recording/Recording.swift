public import Foundation

/// What happened between a start and a stop of the recorder, by time.
public struct Recording: Sendable, Equatable, Codable {
    /// The events by time; a thread's events of the same time in the order in which it recorded them.
    public var events: [Event]
    /// The names of threads by kernel id; "main" is a process's first thread.
    public var threads: [UInt32: String]
    /// The processes. Every thread that is in no other process's `threads` belongs to the first one.
    public var processes: [Process]
    /// HTTP exchanges, in the order in which they ended.
    public var exchanges: [ExchangeRecord]
    /// How many events and exchanges exceeded the capacity.
    public var dropped: Int
    /// How many texts were left out because the texts together exceeded their limit.
    ///
    /// In an event, "(text left out)" stands in place of such a text. An exchange that lacks a text is
    /// ``ExchangeRecord/isIncomplete``.
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
        /// Its threads; empty for the first process, to which all remaining threads belong.
        public var threads: Set<UInt32> = []
    }

    /// Makes a recording of one process, and orders the events by time.
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
        orderEvents()
    }

    mutating func orderEvents() { events.sort { $0.time < $1.time } }

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

    /// Reads a recording, orders its events by time, and retains its texts.
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
        orderEvents()
    }
}

extension Event.Kind {
    /// Whether a span of this kind begins and ends on the same thread, as a call does.
    public var isOnOneThread: Bool {
        switch self {
        case .lockWait, .lockHold, .runLoopSleep, .queueRun, .delegateCall, .callback,
            .serialization:
            true
        default: false
        }
    }
}

extension Recording {
    /// The pairs of a span's begin and end, and those without a partner, as indices in
    /// ``Recording/events``.
    public struct Pairs: Sendable {
        /// Complete spans, in the order of their ends.
        public var spans: [(begin: Int, end: Int)] = []
        /// Spans that had not ended when the recording stopped, or reached its capacity.
        public var beginsWithoutEnd: [Int] = []
        /// Spans that had begun before the recording.
        public var endsWithoutBegin: [Int] = []
    }

    /// Finds the spans.
    ///
    /// An end is paired with the latest open begin of the same kind and subject. If spans of the
    /// kind are on one thread (``Event/Kind/isOnOneThread``), the thread must be the same too. So
    /// spans may be nested.
    ///
    /// A span that had begun before the start of the recording has only an end. One that had not
    /// ended at the stop has only a begin. No event in between is missing, except those that
    /// ``dropped`` counts, which are the latest ones: recording ends at the capacity.
    public func pairs() -> Pairs {
        let none = -1
        var result = Pairs()
        // The last open begin of each key, and for each begin the open one before it.
        var last: [SpanKey: Int] = [:]
        var previous: [Int: Int] = [:]
        for (index, event) in events.enumerated() where event.phase != .instant {
            let key = SpanKey(event)
            let open = last[key] ?? none
            if event.phase == .begin {
                if open != none { previous[index] = open }
                last[key] = index
            } else if open != none {
                result.spans.append((open, index))
                last[key] = previous.removeValue(forKey: open)
            } else {
                result.endsWithoutBegin.append(index)
            }
        }
        result.beginsWithoutEnd = (Array(last.values) + previous.values).sorted()
        return result
    }

    /// Begins without end and ends without begin, by time.
    ///
    /// Empty if no span was open at the start or at the stop, every begin was followed by its end,
    /// and nothing was dropped.
    public func unpaired() -> [Event] {
        let pairs = pairs()
        return (pairs.beginsWithoutEnd + pairs.endsWithoutBegin).sorted().map { events[$0] }
    }

    private struct SpanKey: Hashable {
        let subject: UInt64
        let kindAndThread: UInt64

        init(_ event: Event) {
            subject = event.subject
            let thread = event.kind.isOnOneThread ? UInt64(event.thread) : 0
            kindAndThread = thread << 16 | UInt64(event.kind.rawValue)
        }
    }
}
