import ParitySupport
import RecordedTraces
import TestSupport

@testable import RequestEra

@Suite(
    "Alamofire's column of `eras compare --original`", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct PortTraceTests {
    /// `UPDATE_DOCUMENTATION=1` writes what is not so anew.
    @Test(.disabled(if: Recordings.areFromElsewhere))
    func `each recorded trace is shown with the events and the verdict that playing it has`()
        async throws
    {
        let shown = try Dictionary(
            PortTrace.all(of: .alamofire).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var traces: [PortTrace] = []
        var wrong: [String] = []
        for recorded in try recordings.own("lifecycle") where recorded.output["canonical"] != nil {
            let run = try await PlayedTrace(recorded)
            let lines = shown[recorded.id]?.differences(from: run)
            traces.append(lines == [] ? shown[recorded.id] ?? run.trace : run.trace)
            if lines != [] { wrong.append("\(recorded.id): \(lines ?? ["It is not shown."])") }
            #expect(run.difference == nil, "\(recorded.id)")
        }
        #expect(traces.count >= 60)
        if PortTraceFile.isWritten {
            if !wrong.isEmpty || shown.count != traces.count {
                try PortTraceFile(of: .alamofire, in: packageFolder).write(traces)
            }
        } else {
            #expect(wrong == [])
            #expect(shown.count == traces.count)
        }
    }
}

/// A trace that was played.
@MainActor
private struct PlayedTrace {
    let recorded: RecordedCase
    let expected: TraceComparison.Expected
    let comparison: TraceComparison
    let seen: GoldenValue
    let trace: PortTrace

    /// The first difference from what is recorded, or from what the rules make of it.
    var difference: String? { comparison.difference(expected, seen) }

    init(_ recorded: RecordedCase) async throws {
        let original = TraceComparison.Expected(recorded.output)
        let rules = TraceVerdict.rules(of: recorded)
        var expected = original
        for rule in rules { rule.change(&expected) }
        let unstable = (recorded.output["finalNotStable"]?.elements ?? []).compactMap(\.string)
        let comparison = TraceComparison(ignored: Set(unstable))
        let seen = try #require(
            try await TraceScenarios.play(
                recorded.id, expecting: expected.events.count))
        var free = Array(original.events.indices)
        let events = (seen["events"]?.elements ?? []).map { event -> PortTrace.Step in
            if let index = free.firstIndex(where: { comparison.holds(original.events[$0], event) })
            {
                let place = free.remove(at: index)
                let recorded = original.events[place]
                let members = event.members.filter { recorded.members[$0.key] != nil }
                let value = GoldenValue.object(members)
                return TraceEvent(value) == TraceEvent(recorded)
                    ? .same(place) : .like(place, value)
            }
            // What a recording would have of it.
            let names = expected.events.first { comparison.holds($0, event) }?.members.keys
            let members = event.members.filter { names?.contains($0.key) ?? true }
            return .other(.object(members))
        }
        self.recorded = recorded
        self.expected = expected
        self.comparison = comparison
        self.seen = seen
        let isDeliberate = rules.contains { $0.cause != .foundation }
        trace = PortTrace(
            id: recorded.id,
            verdict: rules.isEmpty ? .equal : isDeliberate ? .deliberate : .foundation,
            statement: rules.map(\.cause.title).joined(separator: ", "),
            reason: rules.map(\.reason).joined(separator: " "), events: events, unseen: [],
            states: Self.states(original.final, expected.final))
    }

    /// What rules change in the state at the end.
    private static func states(
        _ recorded: [String: GoldenValue], _ allowed: [String: GoldenValue], of name: String = ""
    ) -> [String] {
        Set(recorded.keys).union(allowed.keys).sorted().flatMap { key -> [String] in
            let (old, new) = (recorded[key] ?? .absent, allowed[key] ?? .absent)
            guard old != new else { return [] }
            if case .object(let oldMembers) = old, case .object(let newMembers) = new, !old.isNil,
                !new.isNil
            {
                return states(oldMembers, newMembers, of: name + key + ".")
            }
            let words = [new, old].map { $0.isNil ? "nil" : $0.text }
            return ["\(name)\(key) is \(words[0]), recorded as \(words[1])."]
        }
    }
}

extension PortTrace {
    /// What is not so, in words.
    @MainActor
    fileprivate func differences(from run: PlayedTrace) -> [String] {
        let recorded = TraceComparison.Expected(run.recorded.output).events
        let shown = events.map { event in
            switch event {
            case .same(let place): recorded[place]
            case .like(_, let value), .other(let value): value
            }
        }
        let seen = run.seen.setting(["events": .array(shown)])
        return differences(from: run.trace)
            + [run.comparison.difference(run.expected, seen)].compactMap(\.self)
    }
}

extension ParityRule.Cause {
    fileprivate var title: String {
        switch self {
        case .wound(let number): "wound \(number)"
        case .statement(let number): "number \(number) of RequestEra.md"
        case .foundation: "Foundation"
        }
    }
}
