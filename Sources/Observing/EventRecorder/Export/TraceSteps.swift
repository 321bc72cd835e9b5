/// The events of a recording as a trace viewer draws them: every begin event is paired with its end event.
///
/// A span that the start of the recording cut off begins with the trace; one that the stop cut off
/// ends with it.
///
/// A viewer draws the spans of a thread as a stack. If two spans of a thread overlap and neither contains the other,
/// the one that ends first is drawn outside the stack. So is every span that may end on another thread.
struct TraceSteps {
    struct Step {
        /// The index of the recorded event that this step comes from. For the missing begin or end of a span that was
        /// cut off it is the index of the span's other event.
        let event: Int
        let phase: Event.Phase
        /// The index in `spans`; -1 for an instant.
        let span: Int
        let time: UInt64
    }

    struct Span {
        /// The index of the event whose kind and text name the span: its begin, or if that was cut off, its end.
        let namingEvent: Int
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
        func addSpan(_ namingEvent: Int, _ cut: Cut?, of eventsOfSpan: Int...) {
            for event in eventsOfSpan { spanOf[event] = spans.count }
            let isStacked = events[namingEvent].kind.isOnOneThread
            spans.append(Span(namingEvent: namingEvent, isStacked: isStacked, cut: cut))
        }
        func addStep(_ phase: Event.Phase, at time: UInt64, _ event: Int) {
            steps.append(Step(event: event, phase: phase, span: spanOf[event], time: time))
        }

        for (begin, end) in pairs.spans { addSpan(begin, nil, of: begin, end) }
        for index in pairs.endsWithoutBegin { addSpan(index, .start, of: index) }
        for index in pairs.beginsWithoutEnd { addSpan(index, .stop, of: index) }
        let start = recording.startTime
        let stop = max(start, events.last?.time ?? start)
        // Most spans are nested. So of those that the start cut off, the one that ends first is taken as the one that
        // began last.
        for index in pairs.endsWithoutBegin.reversed() { addStep(.begin, at: start, index) }
        for (index, event) in events.enumerated() {
            addStep(event.phase, at: max(start, event.time), index)
        }
        for index in pairs.beginsWithoutEnd.reversed() { addStep(.end, at: stop, index) }
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
