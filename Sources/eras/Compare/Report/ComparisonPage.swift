import Foundation

/// Pure: a comparison as the page that `TimelinePage` draws.
enum ComparisonPage {
    static func document(_ report: ComparisonReport, machine: Machine) -> TimelineDocument {
        TimelineDocument(
            title: "The connection era and the session era, side by side",
            subtitle: "The same scenarios with operations on one network thread and with a "
                + "session manager on Foundation's URLSession, each in a process of its own. "
                + ComparisonReport.numbers.replacing("\n", with: " "),
            machine: machine.text, date: machine.date,
            differences: report.scenarios.map { compared in
                TimelineDocument.Difference(
                    scenario: compared.scenario.id, change: compared.scenario.change.sentence,
                    cause: compared.scenario.change.causes.text,
                    source: compared.scenario.change.source)
            },
            scenarios: report.scenarios.map(scenario))
    }

    private static func scenario(_ compared: ComparedScenario) -> TimelineScenario {
        let verdict = TimelineScenario.Verdict(rawValue: compared.judgement.verdict.rawValue)
        return TimelineScenario(
            id: compared.scenario.id, title: compared.scenario.title,
            question: compared.scenario.question, verdict: verdict,
            pace: compared.pace.text,
            difference: compared.judgement.difference, source: compared.scenario.change.source,
            eras: Era.allCases.map { era(compared, $0) })
    }

    private static func era(_ compared: ComparedScenario, _ era: Era) -> TimelineEra {
        let run = compared.shown(era)
        let facts = TimelineFacts(
            wallMilliseconds: run.wallMilliseconds,
            wallRange: compared.spread(era).map { [$0.lowerBound, $0.upperBound] },
            processorMilliseconds: run.processorMilliseconds, requests: run.requests,
            connections: run.connections, threads: run.threads)
        let title =
            era == .connection
            ? "operations on one network thread" : "a session manager on URLSession"
        guard let recording = run.recording else {
            return TimelineEra(
                name: era.rawValue, title: title, facts: facts, outcomes: outcomes(run), lanes: [])
        }
        return Timeline.era(
            era.rawValue, title: title, recording: recording, from: run.began, facts: facts,
            outcomes: outcomes(run))
    }

    /// Sorted by name, so that the lines of both eras correspond.
    private static func outcomes(_ run: EraRun) -> [TimelineOutcome] {
        let places = run.callbacks.map(\.place)
        return run.outcomes.enumerated().map { index, outcome in
            TimelineOutcome(
                callback: outcome.name,
                thread: places.indices.contains(index) ? places[index] : "server",
                value: outcome.value)
        }.sorted { ($0.callback, $0.value) < ($1.callback, $1.value) }
    }
}
