import EventRecorder

/// A recording's spans and instants in order, each with its thread and queue.
struct RecordedHistory {
    /// The thread of an event, and the block or call that the thread was in.
    struct Place: Hashable {
        var thread: UInt32
        /// The label of the queue whose block was running on the thread.
        var queue: String?
        var isInDelegateCall = false
    }

    struct Span {
        var kind: Event.Kind
        var subject: UInt64
        var text: String
        var start: UInt64
        var end: UInt64
        /// The value of the begin.
        var value: Int64
        /// The value of the end; nil without an end.
        var endValue: Int64?
        var place: Place
        /// How many `calls` its thread was in at its begin.
        var nesting = 0

        var isUnfinished: Bool { endValue == nil }
    }

    struct Instant {
        var kind: Event.Kind
        var subject: UInt64
        var text: String
        var time: UInt64
        var value: Int64
        var place: Place
    }

    /// In the order of their begins.
    private(set) var spans: [Span] = []
    /// In the order of time.
    private(set) var instants: [Instant] = []
    private(set) var start: UInt64 = 0
    private(set) var end: UInt64 = 0

    /// The kinds that make up a thread's call stack.
    static let calls: Set<Event.Kind> = [
        .queueRun, .delegateCall, .callback, .serialization,
    ]

    /// - Parameter recording: a recording, of which an end without a begin is left out. Where a program has put its
    ///   events out of order, no span ends before its start.
    init(_ recording: Recording) {
        let events = recording.events
        start = events.first?.time ?? recording.startTime
        end = events.last?.time ?? start
        let pairs = recording.pairs().spans
        let ends = Dictionary(pairs.map { ($0.begin, $0.end) }, uniquingKeysWith: { $1 })
        let begins = Dictionary(pairs.map { ($0.end, $0.begin) }, uniquingKeysWith: { $1 })
        var stacks: [UInt32: [Call]] = [:]
        for (index, event) in events.enumerated() {
            let text = recording.text(of: event)
            switch event.phase {
            case .instant:
                instants.append(
                    Instant(
                        kind: event.kind, subject: event.subject, text: text, time: event.time,
                        value: event.value,
                        place: Self.place(event.thread, in: stacks[event.thread] ?? [])))
            case .begin:
                let nesting = stacks[event.thread]?.count ?? 0
                if Self.calls.contains(event.kind) {
                    stacks[event.thread, default: []].append(
                        Call(begin: index, kind: event.kind, text: text))
                }
                let close = ends[index].map { events[$0] }
                spans.append(
                    Span(
                        kind: event.kind, subject: event.subject, text: text, start: event.time,
                        end: max(close?.time ?? end, event.time), value: event.value,
                        endValue: close?.value,
                        place: Self.place(event.thread, in: stacks[event.thread] ?? []),
                        nesting: nesting))
            case .end:
                guard let begin = begins[index] else { continue }
                stacks[event.thread]?.removeAll { $0.begin == begin }
            }
        }
    }

    private struct Call {
        var begin: Int
        var kind: Event.Kind
        var text: String
    }

    private static func place(_ thread: UInt32, in stack: [Call]) -> Place {
        Place(
            thread: thread, queue: stack.last { $0.kind == .queueRun }?.text,
            isInDelegateCall: stack.contains { $0.kind == .delegateCall })
    }
}
