import Foundation

/// A scenario with its runs and their judgement.
struct ComparedScenario: Sendable {
    let scenario: any Scenario
    let runs: [Column: [ColumnRun]]
    /// The judgement of each column that the scenario has.
    let judgements: [Column: Judgement]

    init(_ scenario: any Scenario, runs: [Column: [ColumnRun]]) {
        self.scenario = scenario
        self.runs = runs
        judgements = Dictionary(
            uniqueKeysWithValues: scenario.columns.map { ($0, Self.judge(scenario, $0, runs)) })
    }

    /// The judgement of the first failed run; without one all runs have the same judgement.
    private static func judge(
        _ scenario: any Scenario, _ column: Column, _ runs: [Column: [ColumnRun]]
    ) -> Judgement {
        let own = runs[column] ?? []
        // The first column is compared with itself: it only needs outcomes.
        let reference = column.reference ?? column
        let declared = scenario.changes.differences(in: column)
        var last = Judgement(.failed, "it was not run")
        for (index, (run, other)) in zip(own, runs[reference] ?? []).enumerated() {
            last = judge(column, run, reference, other, declared)
            guard last.verdict == .failed else { continue }
            if own.count > 1 { last.failure = "run \(index + 1) of \(own.count): " + last.failure }
            return last
        }
        return last
    }

    private static func judge(
        _ column: Column, _ run: ColumnRun, _ reference: Column, _ other: ColumnRun,
        _ declared: [Change.Difference]
    ) -> Judgement {
        if let failure = run.failure { return Judgement(.failed, failure) }
        if other.failure != nil {
            return Judgement(.failed, "nothing to compare with: the \(reference.title) failed")
        }
        return Judgement(
            column, run.outcomes, comparedWith: other.outcomes, declared: declared)
    }

    /// Failed if a column failed, or else different if one differs.
    var verdict: Verdict {
        let verdicts = judgements.values.map(\.verdict)
        return verdicts.contains(.failed)
            ? .failed : verdicts.contains(.different) ? .different : .equal
    }

    /// The columns that failed, with the reasons, in one text; empty without failures.
    var failure: String {
        scenario.columns.compactMap { column in
            judgements[column].flatMap {
                $0.verdict == .failed ? "\(column.title): \($0.failure)" : nil
            }
        }.joined(separator: "; ")
    }

    /// The run with the median wall time, whose numbers all outputs show.
    func shown(_ column: Column) -> ColumnRun {
        let sorted = (runs[column] ?? []).sorted { $0.wallMilliseconds < $1.wallMilliseconds }
        return sorted.isEmpty ? ColumnRun() : sorted[(sorted.count - 1) / 2]
    }

    /// The shortest and the longest wall time, in milliseconds; nil without a run.
    func spread(_ column: Column) -> ClosedRange<Double>? {
        let walls = walls(column)
        guard let least = walls.min(), let most = walls.max() else { return nil }
        return least...most
    }

    /// How fast a column was compared with its reference. Unknown where the work differs: the result,
    /// the requests, or a wait.
    func pace(_ column: Column) -> Pace {
        guard let reference = column.reference, scenario.isWorkTheSame,
            judgements[column]?.verdict == .equal, judgements[reference]?.verdict != .failed
        else { return .unknown }
        return Pace(walls(column), comparedWith: walls(reference))
    }

    private func walls(_ column: Column) -> [Double] {
        (runs[column] ?? []).map(\.wallMilliseconds)
    }
}
