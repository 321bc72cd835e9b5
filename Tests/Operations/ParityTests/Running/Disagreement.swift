import ParitySupport

/// What differs between a scenario's run and its recording.
struct Disagreement {
    /// In words; none when they agree, listed differences included.
    private(set) var lines: [String] = []

    init(_ scenario: Scenario, _ golden: GoldenCase, _ seen: Observation) throws {
        let changes = DeliberateDifference.changes(of: scenario.id)
        let golden = scenario.source == .description ? golden.withoutMarks : golden
        var seen = scenario.source == .description ? seen.withoutProgress(notIn: golden) : seen
        // Without a recording there is nothing to compare an end with.
        if golden.output.canonical.isEmpty { seen.finals = [:] }
        let expectation = try Expectation(golden, scenario.freedom, changes: changes)
        lines += expectation.unmatched.map {
            "The listed difference \($0) names nothing in the recording."
        }
        lines += expectation.mismatches(with: seen)
        guard lines.isEmpty else { return }
        for change in changes {
            let others = changes.filter { $0 != change }
            let without = try Expectation(golden, scenario.freedom, changes: others)
            if without.mismatches(with: seen).isEmpty {
                lines.append("The listed difference \(change) is stale; the run agrees.")
            }
        }
    }
}

extension GoldenCase {
    /// The recording without what the recorder itself marked; the places stay.
    fileprivate var withoutMarks: GoldenCase {
        func blank(_ event: [String: GoldenValue]) -> [String: GoldenValue] {
            let isMark = event["op"] == nil && !Self.blocks.contains(event["e"]?.string ?? "")
            return isMark ? ["e": .string(Unobservable.mark)] : event
        }
        var copy = self
        copy.output.extra = [:]
        copy.output.canonical = output.canonical.map(blank)
        copy.output.otherOrders = output.otherOrders.map { .init(events: $0.events.map(blank)) }
        return copy
    }

    /// What is recorded without an operation and is no mark.
    private static let blocks: Set = [
        "redirectBlock", "authBlock", "cacheBlock", "batchProgress", "batchCompletion",
        "groupNotify", Unobservable.connectionCancel,
    ]
}

extension Observation {
    /// The run without progress of a kind that the recording has none of.
    fileprivate func withoutProgress(notIn golden: GoldenCase) -> Observation {
        let recorded = Set(golden.output.canonical.compactMap { $0["e"]?.string })
        var copy = self
        copy.events.removeAll { event in
            event.kind.hasSuffix("Progress") && event.operation != nil
                && !recorded.contains(event.kind)
        }
        return copy
    }
}
