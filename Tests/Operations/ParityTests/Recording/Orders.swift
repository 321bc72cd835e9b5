import ParitySupport

/// Which pairs of a scenario's events were seen in both orders.
struct Orders {
    private var varying: Set<[Int]>

    /// From the recorder's own list and from the other orders themselves.
    init(_ golden: GoldenCase) {
        varying = Set(golden.output.orderVariesBetween)
        for other in golden.output.otherOrders {
            add(Self.places(of: other.events, in: golden.output.canonical))
        }
    }

    /// Whether the events at these places of the canonical order came in both orders.
    func varies(_ first: Int, _ second: Int) -> Bool {
        varying.contains([min(first, second), max(first, second)])
    }

    private mutating func add(_ order: [Int]) {
        for (place, first) in order.enumerated() {
            for second in order[(place + 1)...] where second < first {
                varying.insert([second, first])
            }
        }
    }

    /// The canonical places of another order's events; of equal events the n-th is the n-th.
    private static func places(
        of events: [[String: GoldenValue]], in canonical: [[String: GoldenValue]]
    ) -> [Int] {
        var free: [[String: GoldenValue]: [Int]] = [:]
        for (place, event) in canonical.enumerated().reversed() {
            free[event, default: []].append(place)
        }
        return events.compactMap { free[$0]?.popLast() }
    }
}

/// Kinds of events of one operation that were seen in both orders in any scenario.
///
/// Sixteen runs of one scenario do not show every order that a race between two threads has: the
/// start notification, for example, comes before `isExecuting 1>0` in all runs of one scenario and
/// after it in another. What raced once is free everywhere (README, "Not stable").
struct Races: Sendable {
    private var kinds: Set<[String]> = []

    /// The races of all recordings there are.
    static let ofAllScenarios = Result {
        try Races(GoldenCase.own.get() + (Recordings.areFromElsewhere ? GoldenCase.all.get() : []))
    }

    private init(_ cases: [GoldenCase]) {
        for golden in cases {
            let orders = Orders(golden)
            let events = golden.output.canonical.map(Event.init(recorded:))
            for first in events.indices {
                for second in events.indices where second > first && orders.varies(first, second) {
                    guard Self.isOfOne(events[first], events[second]) else { continue }
                    kinds.insert(Self.pair(first, second, events))
                }
            }
        }
    }

    /// Whether two events, given by their places, are free.
    func areFree(_ first: Int, _ second: Int, in events: [Event]) -> Bool {
        Self.isOfOne(events[first], events[second])
            && kinds.contains(Self.pair(first, second, events))
    }

    /// Two events of one operation, or of its blocks; what the harness marks never races.
    private static func isOfOne(_ first: Event, _ second: Event) -> Bool {
        guard !first.isMarker, !second.isMarker else { return false }
        return first.operation == second.operation || first.operation == nil
            || second.operation == nil
    }

    private static func pair(_ first: Int, _ second: Int, _ events: [Event]) -> [String] {
        [name(first, events), name(second, events)].sorted()
    }

    /// The kind and thread, and whether more of the kind follow: only the last piece of a body
    /// races with the end.
    private static func name(_ place: Int, _ events: [Event]) -> String {
        let event = events[place]
        let isLast = !events[(place + 1)...].contains {
            $0.kind == event.kind && $0.operation == event.operation
        }
        return "\(event.kind) @\(event.thread)\(isLast ? " last" : "")"
    }
}
