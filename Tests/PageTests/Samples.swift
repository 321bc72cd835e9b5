import EventRecorder
import Foundation

@testable import eras

extension TimelineDocument {
    /// A comparison with a scenario of each size; texts hold what HTML must escape.
    static func sample(_ counts: [Int] = [10, 30, 1]) -> TimelineDocument {
        TimelineDocument(
            title: "Two eras, side by side", subtitle: "The same requests to the same server.",
            machine: "A machine", date: Date(timeIntervalSince1970: 1_700_000_000),
            differences: counts.indices.map { index in
                Difference(
                    scenario: "scenario-\(index)",
                    change: "Difference \(index): <b>bold</b> & \"quoted\" </script><script>",
                    cause: index == 1 ? "" : "Foundation on Linux", source: "Source \(index)")
            },
            scenarios: counts.enumerated().map { index, count in
                TimelineScenario(
                    id: "scenario-\(index)", title: "Scenario \(index) of \(count)",
                    question: "What happens with \(count)?",
                    verdict: [.different, .equal, .failed][index % 3],
                    pace: ["session era faster", "level", ""][index % 3],
                    difference: "Named difference \(index).", source: "Measured",
                    eras: eras(count))
            })
    }

    private static func eras(_ count: Int) -> [TimelineEra] {
        [
            Timeline.era(
                "connection", title: "operations on one network thread",
                recording: Tape.connection(count).recording, from: Tape.origin,
                facts: TimelineFacts(
                    wallMilliseconds: 7 + Double((count - 1) / 3) * 5, processorMilliseconds: 3.2,
                    requests: count, connections: min(count, 3), threads: 4),
                outcomes: [
                    TimelineOutcome(callback: "success 1", thread: "main", value: "200"),
                    TimelineOutcome(callback: "success 2", thread: "main", value: "200"),
                ]),
            Timeline.era(
                "session", title: "a session",
                recording: Tape.session(count).recording, from: Tape.origin,
                facts: TimelineFacts(
                    wallMilliseconds: 7 + Double(count) * 0.4, requests: count, connections: count),
                outcomes: [
                    TimelineOutcome(callback: "success 1", thread: "main", value: "200"),
                    TimelineOutcome(callback: "success 2", thread: "delegate queue", value: "200"),
                ]),
        ]
    }
}
