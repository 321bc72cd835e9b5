import Foundation

/// A scenario with its runs and what they came to.
struct ComparedScenario: Sendable {
    let scenario: any Scenario
    /// As many in each era as were asked for.
    let runs: [Era: [EraRun]]
    let judgement: Judgement

    init(_ scenario: any Scenario, runs: [Era: [EraRun]]) {
        self.scenario = scenario
        self.runs = runs
        judgement = Self.judge(scenario, runs)
    }

    /// The first run that failed decides; otherwise all say the same.
    private static func judge(_ scenario: any Scenario, _ runs: [Era: [EraRun]]) -> Judgement {
        let pairs = zip(runs[.connection] ?? [], runs[.session] ?? [])
        var last = Judgement(.failed, "it was not run")
        for (index, pair) in pairs.enumerated() {
            last = judge(scenario, pair.0, pair.1)
            guard last.verdict == .failed else { continue }
            let count = runs[.connection]?.count ?? 0
            if count > 1 { last.difference = "run \(index + 1) of \(count): " + last.difference }
            return last
        }
        return last
    }

    private static func judge(
        _ scenario: any Scenario, _ connection: EraRun, _ session: EraRun
    ) -> Judgement {
        let failures = [(Era.connection, connection), (.session, session)].compactMap { era, run in
            run.failure.map { "\(era.title): \($0)" }
        }
        return failures.isEmpty
            ? Judgement(
                connection: connection.outcomes, session: session.outcomes, change: scenario.change)
            : Judgement(.failed, failures.joined(separator: "; "))
    }

    /// The last run, which the page shows.
    func shown(_ era: Era) -> EraRun {
        runs[era]?.last ?? EraRun()
    }

    /// The median over the runs.
    func median<Value: Comparable>(_ era: Era, _ value: (EraRun) -> Value) -> Value? {
        let values = (runs[era] ?? []).map(value).sorted()
        return values.isEmpty ? nil : values[values.count / 2]
    }
}
