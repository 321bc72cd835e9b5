import ParitySupport

/// What a scenario must show here: the recording in the words used here, with listed changes.
struct Expectation {
    /// In canonical order; `place` is the event's place in the recording.
    private(set) var items: [(place: Int, event: Event)] = []
    private(set) var stable: [(first: Int, second: Int)] = []
    private(set) var finals: [String: [String: GoldenValue]] = [:]
    private(set) var extra: [String: GoldenValue] = [:]
    private(set) var connectionsCancelled = 0
    private(set) var hasPieceSums: Bool
    /// Changes that name an event or field that the recording does not have.
    private(set) var unmatched: [Change] = []
    /// Whether the events are not the recorded ones but listed; progress is not among them then.
    private(set) var areEventsListed = false
    private var reversed: [(String, String)] = []

    /// The expectation for a recording.
    init(_ golden: GoldenCase, _ freedom: Freedom, changes: [Change]) throws {
        hasPieceSums = golden.hasChunksOfTheStandIn
        let events = golden.output.canonical.map(Event.init(recorded:))
        connectionsCancelled = events.count { $0.what == Unobservable.connectionCancel }
        for (place, event) in events.enumerated() {
            let later = Array(events[(place + 1)...])
            guard !Unobservable.contains(event, before: later) else { continue }
            items.append((place, event))
        }
        for (name, fields) in golden.output.final {
            finals[name] = FinalState.expected(fields)
        }
        extra = golden.output.extra
        for change in changes where !apply(change) {
            unmatched.append(change)
        }
        if hasPieceSums { collapse() }
        order(Orders(golden), try Races.ofAllScenarios.get(), freedom, golden)
    }

    private mutating func collapse() {
        let kind = "uploadProgress"
        let sums = PieceSums.collapse(items.map(\.event), kind: kind)
        let lastPlace = items.last { $0.event.kind == kind }?.place
        let places = items.filter { $0.event.kind != kind || $0.place == lastPlace }.map(\.place)
        items = zip(places, sums).map { ($0, $1) }
    }

    private mutating func order(
        _ orders: Orders, _ races: Races, _ freedom: Freedom, _ golden: GoldenCase
    ) {
        let events = items.map(\.event)
        for first in items.indices {
            for second in items.indices where second > first {
                let isFree =
                    orders.varies(items[first].place, items[second].place)
                    || races.areFree(first, second, in: events)
                    || freedom.areFree(events[first], events[second], golden)
                let isReversed = reversed.contains {
                    $0 == (events[first].description, events[second].description)
                }
                if areEventsListed {
                    if Self.areListedInOrder(events[first], events[second]) {
                        stable.append((first, second))
                    }
                } else if isReversed {
                    stable.append((second, first))
                } else if !isFree {
                    stable.append((first, second))
                }
            }
        }
    }

    /// Of a listed sequence: what one thread tells, and the end before the completion. Both
    /// notifications and the completion come to main each by its own way.
    private static func areListedInOrder(_ first: Event, _ second: Event) -> Bool {
        if second.kind == "completion" { return first.what == "isFinished 0>1" }
        return first.thread == second.thread
    }

    /// False when the change names what is not there.
    private mutating func apply(_ change: Change) -> Bool {
        switch change {
        case .event(let old, let new):
            guard let index = items.lastIndex(where: { $0.event.description == old }) else {
                return false
            }
            items[index].event = items[index].event.changed(to: new)
        case .gone(let old):
            guard let index = items.firstIndex(where: { $0.event.description == old }) else {
                return false
            }
            items.remove(at: index)
        case .reversed(let first, let second):
            let all = items.map(\.event.description)
            guard all.contains(first), all.contains(second) else { return false }
            reversed.append((first, second))
        case .final(let operation, let field, let value):
            guard finals[operation]?[field] != nil else { return false }
            finals[operation]?[field] = value
        case .extra(let field, let value):
            guard extra[field] != nil else { return false }
            extra[field] = value
        case .events(let list):
            areEventsListed = true
            items = list.enumerated().map { place, text in
                (
                    place,
                    Event(operation: text.first == "A" ? "A" : nil, what: "", thread: "").changed(
                        to: text)
                )
            }
        }
        return true
    }
}

extension Event {
    /// An event of the same operation from a description such as `A.isReady 1>0 @main`.
    func changed(to description: String) -> Event {
        let parts = description.split(separator: " @")
        let prefix = operation.map { "\($0)." } ?? ""
        return Event(
            operation: operation, what: String(parts[0].dropFirst(prefix.count)),
            thread: String(parts.last ?? ""))
    }
}

/// What the order between operations may do in one scenario, beyond what varied in its recording.
enum Freedom: Sendable {
    /// Nothing more: the scenario's gates put the operations one after the other.
    case asRecorded
    /// Operations that are enqueued together begin in any order.
    case startsTogether
    /// Only each operation's own sequence counts; what holds across is checked by the scenario.
    case eachOperationAlone

    /// Whether two events of different operations may come in any order.
    ///
    /// Where Foundation schedules the operations, what one tells on the main queue means nothing
    /// for the thread that starts another, and a completion takes a hop of Foundation's besides.
    func areFree(_ first: Event, _ second: Event, _ golden: GoldenCase) -> Bool {
        if case .eachOperationAlone = self, isBatchProgress(first) != isBatchProgress(second) {
            return first.kind == "finish notification" || second.kind == "finish notification"
        }
        guard let one = first.operation, let other = second.operation, one != other else {
            return false
        }
        switch self {
        case .asRecorded: break
        case .startsTogether: if isStart(first) && isStart(second) { return true }
        case .eachOperationAlone: return true
        }
        guard golden.isScheduledByFoundation else { return false }
        return first.kind == "completion" || second.kind == "completion"
            || (first.thread == "main") != (second.thread == "main")
    }

    /// A batch counts when the operation ends, and so does the notification, each for itself.
    private func isBatchProgress(_ event: Event) -> Bool { event.kind == "batchProgress" }

    private func isStart(_ event: Event) -> Bool {
        ["isReady 1>0", "isExecuting 0>1", "start notification"].contains(event.what)
    }
}
