import EventRecorder

/// The tracks of operations, tasks or requests, of sockets, and of the server's connections.
struct WorkTracks {
    private let history: RecordedHistory
    private let axis: Timeline.Axis
    private let origin: RequestOrigin

    init(history: RecordedHistory, axis: Timeline.Axis) {
        self.history = history
        self.axis = axis
        let requests: Set<Event.Kind> = [.operation, .sessionTask, .request, .transfer]
        origin = RequestOrigin(
            of: history.spans.lazy.filter { requests.contains($0.kind) }.map(\.text))
    }

    // MARK: Operations, tasks and requests

    /// The track of operations, tasks or requests; nil where none was recorded.
    var operations: TimelineTrack? {
        var bars = jobs.sorted { $0.start < $1.start }
        guard !bars.isEmpty else { return nil }
        var packing = RowPacking()
        for index in bars.indices {
            bars[index].row = packing.row(from: bars[index].start, to: bars[index].end)
        }
        let kinds = Set(bars.map(\.kind))
        let kind = [Event.Kind.request, .sessionTask].first(where: kinds.contains) ?? .operation
        var track = TimelineTrack(id: "operations", name: Self.name(of: kind), kind: .operations)
        for bar in bars { track.spans += bar.spans }
        let rows = Dictionary(bars.map { ($0.subject, $0.row) }, uniquingKeysWith: { $1 })
        let transfers = transfers(rows, &packing)
        track.spans += transfers
        track.dots = bars.flatMap(\.dots)
        track.detail = Self.detail(of: kind, isSeenOnTheWire: !transfers.isEmpty)
        if let common = origin.common { track.detail += " All at \(common)." }
        return track
    }

    private static func name(of kind: Event.Kind) -> String {
        switch kind {
        case .request: "requests"
        case .sessionTask: "tasks"
        default: "operations"
        }
    }

    private static func detail(of kind: Event.Kind, isSeenOnTheWire: Bool) -> String {
        switch kind {
        case .request:
            "A bar is a request from its creation until its queue of handlers is resumed, "
                + "each core in it an exchange on the wire."
        case .sessionTask where isSeenOnTheWire:
            "A bar is a task from resume to its completion, its core the exchange on the wire."
        case .sessionTask:
            "A bar is a task from resume to its completion; "
                + "how long it waits for a connection inside the session cannot be observed."
        default:
            "A bar is an operation from start to finish, its core the exchange on the wire, "
                + "the line before it the wait in the queue."
        }
    }

    /// An operation, task or request, with the events on its bar.
    private struct Job {
        var kind: Event.Kind
        var subject: String
        /// When it was enqueued, or else when it started.
        var start: Double
        var end: Double
        var row = 0
        var parts: [TimelineSpan] = []
        var moments: [TimelineDot] = []

        var spans: [TimelineSpan] { parts.map { on(row: $0) } }
        var dots: [TimelineDot] {
            moments.map { dot in
                var dot = dot
                dot.row = row
                return dot
            }
        }

        private func on(row span: TimelineSpan) -> TimelineSpan {
            var span = span
            span.row = row
            return span
        }
    }

    private static let barred: Set<Event.Kind> = [.operation, .sessionTask, .request]
    private static let states: Set<Event.Kind> = [
        .operationState, .sessionTaskState, .requestState,
    ]

    private static func kind(of kind: Event.Kind) -> TimelineSpan.Kind {
        switch kind {
        case .request: .request
        case .sessionTask: .task
        default: .operation
        }
    }

    private var jobs: [Job] {
        let moments = Dictionary(grouping: history.instants, by: \.subject)
        var jobs: [Job] = []
        var started: Set<UInt64> = []
        // The tasks of a request have its name and are not drawn; their exchanges are drawn on the request's bar.
        let requests = Set(
            history.spans.filter { $0.kind == .request }.map { axis.names[$0.subject] })
        for span in history.spans where Self.barred.contains(span.kind) {
            if span.kind == .sessionTask, requests.contains(axis.names[span.subject]) { continue }
            started.insert(span.subject)
            jobs.append(job(span, moments: moments[span.subject] ?? []))
        }
        // Adds the operations that were enqueued and never started.
        for instant in history.instants
        where instant.kind == .enqueued && started.insert(instant.subject).inserted {
            let subject = axis.names[instant.subject]
            let start = axis.milliseconds(instant.time)
            let end = axis.milliseconds(axis.end)
            jobs.append(
                Job(
                    kind: .operation, subject: subject, start: start, end: end,
                    parts: [
                        TimelineSpan(
                            start: start, end: end, name: "never started",
                            kind: .waiting, subject: subject, isUnfinished: true)
                    ]))
        }
        return jobs
    }

    private func job(
        _ span: RecordedHistory.Span, moments: [RecordedHistory.Instant]
    ) -> Job {
        let subject = axis.names[span.subject]
        let start = axis.milliseconds(span.start)
        let end = axis.milliseconds(span.end)
        var job = Job(kind: span.kind, subject: subject, start: start, end: end)
        if let enqueued = moments.first(where: { $0.kind == .enqueued && $0.time < span.start }) {
            job.start = axis.milliseconds(enqueued.time)
        }
        let edges = moments.filter { Self.states.contains($0.kind) }
        job.parts.append(
            TimelineSpan(
                start: start, end: end, waited: start - job.start,
                name: origin.removed(from: span.text), kind: Self.kind(of: span.kind),
                subject: subject, detail: Self.unusual(edges.map(\.text)),
                isUnfinished: span.isUnfinished))
        job.parts += pauses(edges, until: end, subject: subject)
        job.moments = edges.filter { $0.text.contains("cancel") }.map {
            TimelineDot(
                time: axis.milliseconds($0.time), name: $0.text, kind: .cancelled, subject: subject)
        }
        job.moments += edges.filter { $0.text == "retry" }.map {
            TimelineDot(
                time: axis.milliseconds($0.time), name: $0.text, kind: .note, subject: subject)
        }
        return job
    }

    /// The intervals in which it was paused or suspended.
    private func pauses(
        _ edges: [RecordedHistory.Instant], until end: Double, subject: String
    ) -> [TimelineSpan] {
        edges.indices.compactMap { index in
            let text = edges[index].text
            guard text.hasSuffix("paused") || text.hasSuffix("suspended") else { return nil }
            let next = edges.indices.contains(index + 1) ? edges[index + 1] : nil
            return TimelineSpan(
                start: axis.milliseconds(edges[index].time),
                end: next.map { axis.milliseconds($0.time) } ?? end,
                name: "", kind: .paused, subject: subject, isUnfinished: next == nil)
        }
    }

    /// All changes of state as text; empty if each is a usual one.
    private static func unusual(_ edges: [String]) -> String {
        let usual: Set = [
            "ready → executing", "executing → finished", "resumed", "completed", "end posted",
            "queue opened",
        ]
        return edges.allSatisfy(usual.contains) ? "" : edges.joined(separator: ", ")
    }

    /// The exchanges, each on the bar of its operation, task or request; without one, in the first row that is free.
    private func transfers(_ rows: [String: Int], _ packing: inout RowPacking) -> [TimelineSpan] {
        history.spans.filter { $0.kind == .transfer }.map { transfer in
            var span = span(transfer, kind: .transfer)
            span.detail = Self.status(transfer.endValue)
            span.row = rows[span.subject] ?? packing.row(from: span.start, to: span.end)
            // The operation's bar has the same name.
            if rows[span.subject] != nil { span.name = "" }
            return span
        }
    }

    // MARK: Sockets

    /// The track of sockets; nil where none was recorded.
    var sockets: TimelineTrack? {
        track(
            TimelineTrack(
                id: "sockets", name: "sockets", kind: .sockets,
                detail: "A bar is a socket from connecting to closed."),
            owner: .socket, kinds: [.connecting: .connecting, .handshake: .handshake],
            ownerKind: .socket)
    }

    // MARK: Server

    /// The server's track, with a line for each connection and a bar for each exchange on it.
    var server: TimelineTrack? {
        track(
            TimelineTrack(
                id: "server", name: "server", kind: .server,
                detail: "A line is a connection the server accepted, a bar an exchange on it."),
            owner: .serverConnection, kinds: [.serverExchange: .serverExchange],
            ownerKind: .serverConnection)
    }

    /// A track with a bar for each span of `owner`, packed into rows, and on it the spans of `kinds`; nil without any.
    /// Spans without a bar may overlap others.
    private func track(
        _ empty: TimelineTrack, owner: Event.Kind, kinds: [Event.Kind: TimelineSpan.Kind],
        ownerKind: TimelineSpan.Kind
    ) -> TimelineTrack? {
        var track = empty
        var packing = RowPacking()
        var rows: [UInt64: Int] = [:]
        for recorded in history.spans where recorded.kind == owner {
            var span = span(recorded, kind: ownerKind)
            span.row = packing.row(from: span.start, to: span.end)
            rows[recorded.subject] = span.row
            track.spans.append(span)
        }
        for recorded in history.spans {
            guard let kind = kinds[recorded.kind] else { continue }
            var span = span(recorded, kind: kind)
            if span.name.isEmpty { span.name = kind.rawValue }
            if kind == .serverExchange { span.detail = Self.status(recorded.endValue) }
            // A connection that was open before the recording has no bar.
            let row = rows[recorded.subject] ?? packing.row(from: span.start, to: span.end)
            rows[recorded.subject] = row
            span.row = row
            track.spans.append(span)
        }
        return track.spans.isEmpty ? nil : track
    }

    private func span(_ span: RecordedHistory.Span, kind: TimelineSpan.Kind) -> TimelineSpan {
        TimelineSpan(
            start: axis.milliseconds(span.start), end: axis.milliseconds(span.end),
            name: origin.removed(from: span.text), kind: kind, subject: axis.names[span.subject],
            isUnfinished: span.isUnfinished)
    }

    private static func status(_ value: Int64?) -> String {
        guard let value, value > 0 else { return "" }
        return "status \(value)"
    }
}

/// Puts each bar into the first row whose latest bar has ended when this one starts.
struct RowPacking {
    private var ends: [Double] = []

    /// The row of a bar. Bars in the order of their starts need the fewest rows.
    mutating func row(from start: Double, to end: Double) -> Int {
        if let row = ends.firstIndex(where: { $0 <= start }) {
            ends[row] = end
            return row
        }
        ends.append(end)
        return ends.count - 1
    }
}
