import Foundation

/// A scenario with its runs and their judgement.
struct ComparedScenario: Sendable {
    let scenario: any Scenario
    /// The runs of each era.
    let runs: [Era: [EraRun]]
    let judgement: Judgement

    init(_ scenario: any Scenario, runs: [Era: [EraRun]]) {
        self.scenario = scenario
        self.runs = runs
        judgement = Self.judge(scenario, runs)
    }

    /// The judgement of the first failed run; without one all runs have the same judgement.
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

    /// The run with the median wall time, whose numbers all outputs show.
    func shown(_ era: Era) -> EraRun {
        let sorted = (runs[era] ?? []).sorted { $0.wallMilliseconds < $1.wallMilliseconds }
        return sorted.isEmpty ? EraRun() : sorted[(sorted.count - 1) / 2]
    }

    /// The shortest and the longest wall time, milliseconds; nil without a run.
    func spread(_ era: Era) -> ClosedRange<Double>? {
        let walls = walls(era)
        guard let least = walls.min(), let most = walls.max() else { return nil }
        return least...most
    }

    /// Which era was faster; unknown where the scenario failed.
    var pace: Pace {
        judgement.verdict == .failed
            ? .unknown : Pace(connection: walls(.connection), session: walls(.session))
    }

    private func walls(_ era: Era) -> [Double] {
        (runs[era] ?? []).map(\.wallMilliseconds)
    }
}
