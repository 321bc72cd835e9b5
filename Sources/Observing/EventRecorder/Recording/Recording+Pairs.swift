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
    /// Which begins and ends belong together, as indices in ``Recording/events``.
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
    /// An end belongs to the last open begin of its kind and subject and, if the kind is on one
    /// thread (``Event/Kind/isOnOneThread``), of its thread; so spans may be nested. A span that
    /// the start of the recording cut off has only an end: it counts as begun before ``startTime``.
    /// One that the stop cut off has only a begin: it lasts longer than the recording. Between
    /// start and stop nothing is lost but what ``dropped`` counts, which is always the last.
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
    /// Empty if nothing was open at the start and the stop, and no end is missing.
    public func unpaired() -> [Event] {
        let pairs = pairs()
        return (pairs.beginsWithoutEnd + pairs.endsWithoutBegin).sorted().map { events[$0] }
    }

    private struct SpanKey: Hashable {
        let subject: UInt64
        let place: UInt64

        init(_ event: Event) {
            subject = event.subject
            let thread = event.kind.isOnOneThread ? UInt64(event.thread) : 0
            place = thread << 16 | UInt64(event.kind.rawValue)
        }
    }
}
