import SessionTasks
import Foundation
@testable import RequestEra
import ParitySupport

/// Compares a run with a recorded trace: the same events, in an order that was seen or that the
/// source leaves open, and the same state at the end.
struct TraceComparison {
    /// A recorded trace, or what a rule makes of it.
    struct Expected: Sendable {
        var events: [GoldenValue]
        var final: [String: GoldenValue]
        /// Pairs of events that may come in any order.
        var open: Set<[Int]>

        init(_ output: GoldenValue) {
            events = output["canonical"]?.elements ?? []
            final = output["final"]?.members ?? [:]
            let pairs =
                (output["orderVariesBetween"]?.elements ?? [])
                + (output["orderOpenBySource"]?.elements ?? [])
            open = Set(pairs.map { $0.elements.compactMap(\.int) })
            // A progress closure is called on main, and the end is posted on the delegate queue.
            for end in events.indices where events[end]["name"]?.string == "DidComplete" {
                for other in events.indices where events[other]["completed"] != nil {
                    open.insert([min(end, other), max(end, other)])
                }
            }
        }
    }

    /// Members whose values are Foundation's and not the library's.
    var ignored: Set<String> = []

    /// The first difference; nil where there is none.
    func difference(_ expected: Expected, _ seen: GoldenValue) -> String? {
        let events = seen["events"]?.elements ?? []
        var places: [Int] = []
        for event in expected.events {
            let place = events.indices.first {
                !places.contains($0) && holds(event, events[$0])
            }
            guard let place else { return "No \(event) among \(events)." }
            places.append(place)
        }
        if let extra = events.indices.first(where: { !places.contains($0) }) {
            return "Nobody recorded \(events[extra]), of \(events)."
        }
        for later in places.indices {
            for earlier in 0..<later where places[earlier] > places[later] {
                if expected.open.contains([earlier, later]) { continue }
                // Equal events have no order.
                if expected.events[earlier] == expected.events[later] { continue }
                return "\(expected.events[later]) came before \(expected.events[earlier])."
            }
        }
        for (name, value) in expected.final.sorted(by: { $0.key < $1.key }) {
            guard !ignored.contains(name) else { continue }
            let own = seen["final"]?[name] ?? .absent
            if !holds(value, own) { return "\(name) is \(own), recorded as \(value)." }
        }
        return nil
    }

    /// Whether a value has what was recorded; it may have more members.
    func holds(_ recorded: GoldenValue, _ own: GoldenValue) -> Bool {
        if recorded.isNil || own.isNil { return recorded.isNil && own.isNil }
        switch (recorded, own) {
        case (.object(let recorded), .object(let own)):
            // A notification without data was recorded without the member.
            if recorded["name"]?.string == "DidComplete", recorded["responseDataCount"] == nil,
                !ignored.contains("responseDataCount"),
                let count = own["responseDataCount"], !count.isNil
            {
                return false
            }
            return recorded.allSatisfy { name, value in
                ignored.contains(name) || holds(value, own[name] ?? .absent)
            }
        case (.array(let recorded), .array(let own)):
            return recorded.count == own.count && zip(recorded, own).allSatisfy(holds)
        case (.string(let recorded), .string(let own)):
            return Self.bare(recorded) == Self.bare(own)
        default: return recorded == own
        }
    }

    /// Codes of transfers that failed are Foundation's, but for that of a cancelled one.
    private static func bare(_ text: String) -> String {
        text.hasPrefix("NSURLErrorDomain ") && text != "NSURLErrorDomain -999"
            ? "NSURLErrorDomain" : text
    }
}

/// How a recorded trace came out.
@MainActor
enum TraceVerdict {
    static func of(
        _ recorded: RecordedCase
    ) async throws -> (ParityTally.Verdict, String?) {
        var expected = TraceComparison.Expected(recorded.output)
        let rules = TraceRules.all.filter { $0.ids.contains(recorded.id) }
        for rule in rules { rule.change(&expected) }
        guard
            let seen = try await TraceScenarios.play(
                recorded.id, expecting: expected.events.count)
        else {
            return Recordings.areFromElsewhere
                ? (.absent, nil) : (.other("nothing plays it"), nil)
        }
        let unstable = (recorded.output["finalNotStable"]?.elements ?? []).compactMap(\.string)
        let comparison = TraceComparison(ignored: Set(unstable))
        guard let difference = comparison.difference(expected, seen) else {
            guard let rule = rules.first else { return (.equal, nil) }
            return (rule.cause.verdict, "\(rule.cause): \(rule.reason)")
        }
        return (.other(difference), nil)
    }
}
