import ParitySupport
import RecordedTraces
import TestSupport

@Suite("AFNetworking's column of `eras compare --original`", .timeLimit(.minutes(5)))
struct PortTraceTests {
    /// `UPDATE_DOCUMENTATION=1` writes what is not so anew.
    @Test(.disabled(if: Recordings.areFromElsewhere))
    func `each recorded scenario is shown with the events and the verdict that playing it has`()
        async throws
    {
        let shown = try Dictionary(
            PortTrace.all(of: .afnetworking).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var traces: [PortTrace] = []
        var wrong: [String] = []
        for golden in try GoldenCase.own.get() where Impossible.scenarios[golden.id] == nil {
            let scenario = try #require(Parity.scenarios.first { $0.id == golden.id })
            let seen = try await Plays.observation(of: scenario)
            let played = try await PortTrace(scenario, golden, seen)
            let lines = try shown[golden.id]?.differences(from: played, scenario, golden, seen)
            traces.append(lines == [] ? shown[golden.id] ?? played : played)
            if lines != [] { wrong.append("\(golden.id): \(lines ?? ["It is not shown."])") }
        }
        #expect(traces.count >= 60)
        if PortTraceFile.isWritten {
            if !wrong.isEmpty || shown.count != traces.count {
                try PortTraceFile(of: .afnetworking, in: packageFolder).write(traces)
            }
        } else {
            #expect(wrong == [])
            #expect(shown.count == traces.count)
        }
    }

    @Test func `a recorded event is shown in the words of the comparison`() throws {
        for golden in try GoldenCase.own.get() {
            for recorded in golden.output.canonical {
                let event = Event(recorded: recorded)
                // The comparison leaves out what is Foundation's, and adds a flag where one recording
                // has none.
                guard event.kind != "completion", !event.what.hasPrefix("completionBlock") else {
                    continue
                }
                let shown = TraceEvent(.object(recorded))
                let words = (event.operation.map { "\($0)." } ?? "") + event.what
                #expect(shown.text == words, "\(golden.id)")
            }
        }
    }
}

extension PortTrace {
    /// A scenario as it was played.
    init(_ scenario: Scenario, _ golden: GoldenCase, _ seen: Observation) async throws {
        let recorded = golden.output.canonical.map(Event.init(recorded:))
        let unseen = recorded.indices.filter {
            Unobservable.contains(recorded[$0], before: Array(recorded[($0 + 1)...]))
        }
        var free: [Event: [Int]] = [:]
        for place in recorded.indices.reversed() where !unseen.contains(place) {
            free[recorded[place], default: []].append(place)
        }
        let events = seen.events.map { event -> PortTrace.Step in
            var members: [String: GoldenValue] = [
                "what": .string(event.what), "thread": .string(event.thread),
            ]
            members["op"] = event.operation.map { .string($0) }
            let value = GoldenValue.object(members)
            guard let place = free[event]?.popLast() else { return .other(value) }
            let original = TraceEvent(.object(golden.output.canonical[place]))
            return TraceEvent(value) == original ? .same(place) : .like(place, value)
        }
        let verdict: Verdict
        switch await scenario.verdict(golden) {
        case .equal: verdict = .equal
        case .deliberate: verdict = .deliberate
        case let other: throw UnexpectedVerdict(id: golden.id, verdict: "\(other)")
        }
        let differences = DeliberateDifference.all.filter { $0.id == golden.id }
        self.init(
            id: golden.id, verdict: verdict,
            statement: differences.map { "wound \($0.wound)" }.joined(separator: ", "),
            reason: differences.map(\.reason).joined(separator: " "), events: events,
            unseen: unseen, states: differences.flatMap(\.changes).compactMap { $0.state(golden) })
    }

    /// What is not so, in words.
    func differences(
        from played: PortTrace, _ scenario: Scenario, _ golden: GoldenCase, _ seen: Observation
    ) throws -> [String] {
        var shown = seen
        shown.events = events.map { event in
            switch event {
            case .same(let place):
                return Event(recorded: golden.output.canonical[place])
            case .like(_, let value), .other(let value):
                return Event(
                    operation: value["op"]?.string, what: value["what"]?.string ?? "",
                    thread: value["thread"]?.string ?? "")
            }
        }
        return differences(from: played) + (try Disagreement(scenario, golden, shown).lines)
    }
}

/// A verdict that nobody is to see.
private struct UnexpectedVerdict: Error {
    let id: String
    let verdict: String
}

extension Change {
    /// What it says of values at the end; nil where it is about events.
    fileprivate func state(_ golden: GoldenCase) -> String? {
        switch self {
        case .final(let operation, let field, let value):
            let recorded = golden.output.final[operation]?[field] ?? .null
            return "\(operation).\(field) is \(words(value)), recorded as \(words(recorded))."
        case .extra(let field, let value):
            let recorded = golden.output.extra[field] ?? .null
            return "\(field) is \(words(value)), recorded as \(words(recorded))."
        case .event, .gone, .reversed, .events: return nil
        }
    }

    /// An error without its user info.
    private func words(_ value: GoldenValue) -> String {
        guard let domain = value["domain"]?.string, let code = value["code"]?.int else {
            return value.text
        }
        return "\(domain) \(code)"
    }
}
