/// The events of a recording as a trace viewer draws them: each begin with its end.
///
/// A span that the start of the recording cut off begins with the trace; one that the stop cut off
/// ends with it. A viewer draws the spans of a thread as a stack, so spans of one thread that
/// overlap without being nested are drawn apart from it.
struct TraceSteps {
    struct Step {
        /// The index of the event whose time it has, or whose other end is beyond the trace.
        let event: Int
        let phase: Event.Phase
        /// The index in `spans`; -1 for an instant.
        let span: Int
        let time: UInt64
    }

    struct Span {
        /// The event that names it: its begin, or else its end.
        let name: Int
        var isStacked: Bool
        let cut: Cut?
    }

    enum Cut: String {
        case start, stop
    }

    private(set) var spans: [Span] = []
    private(set) var steps: [Step] = []

    init(_ recording: Recording) {
        let pairs = recording.pairs()
        let events = recording.events
        var spanOf = [Int](repeating: -1, count: events.count)
        func add(_ name: Int, _ cut: Cut?, of places: Int...) {
            for place in places { spanOf[place] = spans.count }
            let isStacked = events[name].kind.isOnOneThread
            spans.append(Span(name: name, isStacked: isStacked, cut: cut))
        }
        func add(_ phase: Event.Phase, at time: UInt64, _ event: Int) {
            steps.append(Step(event: event, phase: phase, span: spanOf[event], time: time))
        }

        for (begin, end) in pairs.spans { add(begin, nil, of: begin, end) }
        for index in pairs.endsWithoutBegin { add(index, .start, of: index) }
        for index in pairs.beginsWithoutEnd { add(index, .stop, of: index) }
        let start = recording.startTime
        let stop = max(start, events.last?.time ?? start)
        // The span that ends first began last.
        for index in pairs.endsWithoutBegin.reversed() { add(.begin, at: start, index) }
        for (index, event) in events.enumerated() {
            add(event.phase, at: max(start, event.time), index)
        }
        for index in pairs.beginsWithoutEnd.reversed() { add(.end, at: stop, index) }
        takeCrossingSpansOut(of: events)
    }

    private mutating func takeCrossingSpansOut(of events: [Event]) {
        var stacks: [UInt32: [Int]] = [:]
        for step in steps where step.span >= 0 && spans[step.span].isStacked {
            let thread = events[step.event].thread
            if step.phase == .begin {
                stacks[thread, default: []].append(step.span)
            } else if stacks[thread]?.last == step.span {
                stacks[thread]?.removeLast()
            } else {
                stacks[thread]?.removeAll { $0 == step.span }
                spans[step.span].isStacked = false
            }
        }
    }
}
