import Foundation
import TimelinePage

/// A comparison as the page that `TimelinePage` draws.
enum ComparisonPage {
    static func document(_ report: ComparisonReport, machine: Machine) -> TimelineDocument {
        TimelineDocument(
            title: "The eras, side by side",
            subtitle: "The same scenarios in each era, each in a process of its own.",
            machine: machine.text, date: machine.date, noun: "scenario",
            groups: Cause.allCases.map { .init(cause: $0.rawValue, heading: $0.heading) },
            note: [ComparisonReport.numbers, ComparisonReport.statements].joined(separator: " ")
                .replacing("\n", with: " "),
            scenarios: report.scenarios.map(scenario))
    }

    private static func scenario(_ compared: ComparedScenario) -> TimelineScenario {
        let verdict = TimelineScenario.Verdict(rawValue: compared.verdict.rawValue)
        return TimelineScenario(
            id: compared.scenario.id, title: compared.scenario.title,
            question: compared.scenario.question, conclusion: conclusion(compared),
            verdict: verdict,
            causes: compared.verdict == .different ? compared.scenario.changes.causes.text : "",
            failure: compared.failure,
            changes: compared.scenario.changes.map { change in
                TimelineChange(
                    cause: change.cause.rawValue, columns: change.columns.map(\.rawValue),
                    sentence: change.sentence, source: change.source)
            },
            eras: compared.scenario.columns.map { era(compared, $0) },
            without: without(compared.scenario))
    }

    /// What the picture shows, in one sentence: the first difference, or the pace of equal results.
    static func conclusion(_ compared: ComparedScenario) -> String {
        let columns = compared.scenario.columns
        switch compared.verdict {
        case .failed:
            return "It failed: \(compared.failure)."
        case .different:
            let change = compared.scenario.changes.first { !$0.columns.isEmpty }
            let places = (change?.columns ?? []).map(\.title).joined(separator: ", ")
            return "Not the same in the \(places): \(change?.firstSentence ?? "")"
        case .equal:
            return "The same results in all \(columns.count), \(pace(compared))."
        }
    }

    /// Such as "the URLSession of Foundation slower than the session era", or else the range of the wall times.
    private static func pace(_ compared: ComparedScenario) -> String {
        let columns = compared.scenario.columns
        let words = columns.compactMap { column -> String? in
            let pace = compared.pace(column)
            guard pace == .faster || pace == .slower, let reference = column.reference else {
                return nil
            }
            return "the \(column.title) \(pace.rawValue) than the \(reference.title)"
        }
        if !words.isEmpty { return words.joined(separator: ", ") }
        let walls = columns.map { compared.shown($0).wallMilliseconds }
        let range = [walls.min(), walls.max()].map { ComparisonReport.tenths($0 ?? 0) }
        return "in \(range[0]) to \(range[1]) ms"
    }

    /// One sentence for each era without a column.
    private static func without(_ scenario: any Scenario) -> [String] {
        Column.allCases.compactMap { column in
            scenario.without[column].map { "No column for the \(column.title): \($0)" }
        }
    }

    private static func era(_ compared: ComparedScenario, _ column: Column) -> TimelineEra {
        let run = compared.shown(column)
        let row = ComparisonRow(compared, column)
        let facts = TimelineFacts(
            result: column.reference == nil ? nil : row.result,
            pace: row.pace,
            wallMilliseconds: run.wallMilliseconds,
            wallRange: compared.spread(column).map { [$0.lowerBound, $0.upperBound] },
            processorMilliseconds: run.processorMilliseconds, requests: run.requests,
            connections: run.connections, threads: run.threads)
        guard let recording = run.recording else {
            return TimelineEra(
                column.rawValue, heading: heading(column), title: column.summary,
                facts: facts, outcomes: outcomes(run), tracks: [])
        }
        return TimelineEra(
            column.rawValue, heading: heading(column), title: column.summary, recording: recording,
            from: run.began, facts: facts, outcomes: outcomes(run))
    }

    private static func heading(_ column: Column) -> String {
        column.title.prefix(1).uppercased() + column.title.dropFirst()
    }

    /// Sorted by name, so that the rows of all columns correspond.
    private static func outcomes(_ run: ColumnRun) -> [TimelineOutcome] {
        let places = run.callbacks.map(\.place)
        return run.outcomes.enumerated().map { index, outcome in
            TimelineOutcome(
                callback: outcome.name,
                thread: places.indices.contains(index) ? places[index] : "server",
                value: outcome.value)
        }.sorted { ($0.callback, $0.value) < ($1.callback, $1.value) }
    }
}
