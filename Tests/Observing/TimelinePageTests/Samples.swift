import EventRecorder
import Foundation

@testable import TimelinePage

extension TimelineDocument {
    /// A comparison with a scenario of each size; texts hold what HTML must escape.
    static func sample(_ counts: [Int] = [10, 30, 1]) -> TimelineDocument {
        TimelineDocument(
            title: "Two eras, side by side", subtitle: "The same requests to the same server.",
            machine: "A machine", date: Date(timeIntervalSince1970: 1_700_000_000),
            noun: "scenario",
            groups: [
                Group(cause: "era's design", heading: "What changed, and why"),
                Group(cause: "Foundation on Linux", heading: "What Foundation on Linux does"),
                Group(cause: "a cause without a change", heading: "Nothing"),
            ],
            note: "Numbers in parentheses are explained.",
            scenarios: counts.enumerated().map { index, count in
                TimelineScenario(
                    id: "scenario-\(index)", title: "Scenario \(index) of \(count)",
                    question: "What happens with \(count)?",
                    conclusion: index == 0 ? "All \(count) came <back>." : "",
                    verdict: [.different, .equal, .failed][index % 3],
                    causes: index % 3 == 0 ? "Foundation on Linux" : "",
                    failure: index % 3 == 2 ? "It failed \(index)." : "",
                    changes: changes(index),
                    eras: eras(count))
            })
    }

    private static func changes(_ index: Int) -> [TimelineChange] {
        [
            TimelineChange(
                cause: "era's design",
                sentence: "Change \(index): <b>bold</b> & \"quoted\" </script><script>",
                source: "Source \(index)"),
            TimelineChange(
                cause: "Foundation on Linux", columns: ["foundation"],
                sentence: "Foundation's part \(index).", source: "Measured"),
        ]
    }

    /// One era with a network thread, and three with tasks.
    private static func eras(_ count: Int) -> [TimelineEra] {
        [
            TimelineEra(
                "connection", heading: "connection era", title: "operations on one network thread",
                recording: Tape.connection(count).recording, from: Tape.origin,
                facts: TimelineFacts(
                    wallMilliseconds: 7 + Double((count - 1) / 3) * 5, processorMilliseconds: 3.2,
                    requests: count, connections: min(count, 3), threads: 4),
                outcomes: [
                    TimelineOutcome(callback: "success 1", thread: "main", value: "200"),
                    TimelineOutcome(callback: "success 2", thread: "main", value: "200"),
                ])
        ] + ["session", "request", "foundation"].map { session($0, count) }
    }

    private static func session(_ name: String, _ count: Int) -> TimelineEra {
        TimelineEra(
            name, heading: name == "foundation" ? "session era on Foundation" : "\(name) era",
            title: "tasks", recording: Tape.session(count).recording, from: Tape.origin,
            facts: TimelineFacts(
                result: name == "foundation" ? "Foundation" : "equal", pace: "slower",
                wallMilliseconds: 7 + Double(count) * 0.4, requests: count, connections: count),
            outcomes: [
                TimelineOutcome(callback: "success 1", thread: "main", value: "200"),
                TimelineOutcome(
                    callback: "success 2", thread: name == "request" ? "main" : "delegate queue",
                    value: "200"),
            ])
    }
}
