/// The events of a recording as a trace viewer can draw them: each beginning with its end.
///
/// A span that the start cut begins with the trace; one that the stop cut ends with it. A viewer
/// draws the spans of a thread as a stack, so those on one thread that overlap without lying in
/// each other are told apart here.
struct TraceSteps {
    struct Step {
        /// The place of the event whose time it has, or whose other end is beyond the trace.
        let event: Int
        let phase: Event.Phase
        /// The place of the span in `spans`; -1 for a moment.
        let span: Int
        let time: UInt64
    }

    struct Span {
        /// The event that names it: its beginning, or else its end.
        let name: Int
        /// Whether it is drawn in its thread's stack.
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
        spans.reserveCapacity(pairs.spans.count)
        for (begin, end) in pairs.spans {
            spanOf[begin] = spans.count
            spanOf[end] = spans.count
            add(begin, nil, in: events)
        }
        for index in pairs.endsWithoutBegin {
            spanOf[index] = spans.count
            add(index, .start, in: events)
        }
        for index in pairs.beginsWithoutEnd {
            spanOf[index] = spans.count
            add(index, .stop, in: events)
        }

        let start = recording.startTime
        let stop = max(start, events.last?.time ?? start)
        steps.reserveCapacity(
            events.count + pairs.endsWithoutBegin.count + pairs.beginsWithoutEnd.count)
        // What ends first began last.
        for index in pairs.endsWithoutBegin.reversed() {
            steps.append(Step(event: index, phase: .begin, span: spanOf[index], time: start))
        }
        for (index, event) in events.enumerated() {
            steps.append(
                Step(
                    event: index, phase: event.phase, span: spanOf[index],
                    time: max(start, event.time)))
        }
        for index in pairs.beginsWithoutEnd.reversed() {
            steps.append(Step(event: index, phase: .end, span: spanOf[index], time: stop))
        }
        takeCrossingSpansOut(of: events)
    }

    private mutating func add(_ name: Int, _ cut: Cut?, in events: [Event]) {
        spans.append(Span(name: name, isStacked: events[name].kind.isOnOneThread, cut: cut))
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
