import EventRecorder

/// A track for each lock for which a thread waited longer than a moment. Its owner is above, and
/// the waiting threads are below.
struct LockTracks {
    private struct Use {
        let span: RecordedHistory.Span
        /// The thread's name. Several threads may have the same.
        let thread: String
        var number: UInt32 { span.place.thread }
        var isHold: Bool { span.kind == .lockHold }
        /// Whether others wait for the thread's end, which is no lock.
        var isEnd: Bool { isHold && span.value < 1 }
    }

    private let axis: Timeline.Axis
    /// The uses by lock, in the order of first use. Nested ones of the same thread are left out.
    private let uses: [(lock: UInt64, uses: [Use])]

    /// The most locks that are drawn.
    private static let limit = 4

    init(history: RecordedHistory, axis: Timeline.Axis, _ name: (RecordedHistory.Place) -> String) {
        self.axis = axis
        var order: [UInt64] = []
        var all: [UInt64: [Use]] = [:]
        for span in history.spans where span.kind == .lockHold || span.kind == .lockWait {
            if span.kind == .lockHold, span.value > 1 { continue }
            if all[span.subject] == nil { order.append(span.subject) }
            all[span.subject, default: []].append(Use(span: span, thread: name(span.place)))
        }
        uses = order.map { ($0, all[$0] ?? []) }
    }

    /// The least wait that is drawn, in nanoseconds: shorter ones happen by chance.
    private static let least: UInt64 = 5_000_000

    private func isLong(_ use: Use) -> Bool {
        use.span.isUnfinished || use.span.end - use.span.start > Self.least
    }

    var tracks: [TimelineTrack] {
        let locks = uses.filter { _, uses in
            uses.contains { !$0.isHold && isLong($0) } && !uses.contains(where: \.isEnd)
        }
        return locks.prefix(Self.limit).map { lock, uses in
            var waiters: [String] = []
            let spans = uses.map { use in
                if !use.isHold, !waiters.contains(use.thread) { waiters.append(use.thread) }
                let row = use.isHold ? 0 : 1 + (waiters.firstIndex(of: use.thread) ?? 0)
                return TimelineSpan(
                    start: axis.milliseconds(use.span.start), end: axis.milliseconds(use.span.end),
                    name: use.thread, kind: use.isHold ? .lockHeld : .lockWait,
                    subject: Self.name(of: uses.map(\.span)), row: row,
                    isUnfinished: use.span.isUnfinished)
            }
            return TimelineTrack(
                id: "lock-\(lock)", name: Self.name(of: uses.map(\.span)), kind: .lock, spans: spans
            )
        }
    }

    private static func name(of spans: [RecordedHistory.Span]) -> String {
        spans.lazy.map(\.text).first { !$0.isEmpty } ?? "lock"
    }

    // MARK: Who waits for whom

    /// The chains at the moment at which the most threads wait; none where no thread waits long.
    var waits: [TimelineWait] {
        let waits = uses.flatMap(\.uses).filter { !$0.isHold && isLong($0) }
        let moments = waits.map(\.span.start)
        func waiting(at time: UInt64) -> [Use] {
            waits.filter { $0.span.start <= time && $0.span.end > time }
        }
        guard let moment = moments.max(by: { waiting(at: $0).count < waiting(at: $1).count }) else {
            return []
        }
        let now = waiting(at: moment)
        let chains = now.map { chain(from: $0, among: now, at: moment) }
        // Leaves out the chains that are parts of longer ones.
        return chains.enumerated().filter { index, chain in
            !chains.enumerated().contains { other, longer in
                other != index && Set(chain.members).isSubset(of: longer.members)
                    && (longer.members.count > chain.members.count || other < index)
            }
        }.map(\.element)
    }

    private func chain(from first: Use, among waits: [Use], at time: UInt64) -> TimelineWait {
        var members = [first.thread]
        var threads = [first.number]
        var next: Use? = first
        while let wait = next {
            let all = uses.first { $0.lock == wait.span.subject }?.uses ?? []
            members.append(Self.name(of: all.map(\.span)))
            guard
                let holder = all.last(where: {
                    $0.isHold && $0.span.start <= time && $0.span.end > time
                })
            else { break }
            if let start = threads.firstIndex(of: holder.number) {
                // Of a circle, leaves out the chain that leads into it. Each thread has its lock after it.
                return TimelineWait(members: Array(members[(2 * start)...]), isCircle: true)
            }
            members.append(holder.thread)
            threads.append(holder.number)
            next = waits.first { $0.number == holder.number }
        }
        return TimelineWait(members: members, isCircle: false)
    }
}
