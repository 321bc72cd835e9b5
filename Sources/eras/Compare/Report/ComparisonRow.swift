/// One scenario in one era, as `--json` and the tables show it.
struct ComparisonRow: Encodable, Equatable {
    var scenario: String
    var era: Era
    var verdict: Verdict
    var difference: String
    var requests: Int
    var connections: Int
    var threads: Int
    var wallMilliseconds: Double
    var processorMilliseconds: Double
    var runs: Int
    /// Of the last run, in the order in which they came.
    var callbacks: [Stage.Callback]
    /// Of the last run, by name.
    var outcomes: [Outcome]

    enum CodingKeys: String, CodingKey {
        case scenario, era, verdict, difference, requests, connections, threads
        case wallMilliseconds = "wall_ms"
        case processorMilliseconds = "cpu_ms"
        case runs, callbacks, outcomes
    }

    /// The numbers are medians over the runs.
    init(_ compared: ComparedScenario, _ era: Era) {
        let run = compared.shown(era)
        scenario = compared.scenario.id
        self.era = era
        verdict = compared.judgement.verdict
        difference = compared.judgement.difference
        requests = compared.median(era, \.requests) ?? 0
        connections = compared.median(era, \.connections) ?? 0
        threads = compared.median(era, \.threads) ?? 0
        wallMilliseconds = Self.rounded(compared.median(era, \.wallMilliseconds))
        processorMilliseconds = Self.rounded(compared.median(era, \.processorMilliseconds))
        runs = compared.runs[era]?.count ?? 0
        callbacks = run.callbacks
        outcomes = run.outcomes.sorted { $0.name < $1.name }
    }

    /// To hundredths.
    private static func rounded(_ value: Double?) -> Double {
        ((value ?? 0) * 100).rounded() / 100
    }
}
