import Foundation
import ParitySupport
@testable import RequestEra
import SessionTasks

/// How a recorded trace came out.
@MainActor
enum TraceVerdict {
    static func of(
        _ recorded: RecordedCase, on transport: SessionTransport
    ) async throws -> (ParityTally.Verdict, String?) {
        var expected = TraceComparison.Expected(recorded.output)
        let rules = TraceRules.all.filter {
            $0.ids.contains(recorded.id) && ($0.transport ?? transport) == transport
        }
        for rule in rules { rule.change(&expected) }
        guard
            let seen = try await TraceScenarios.play(
                recorded.id, on: transport, expecting: expected.events.count)
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
