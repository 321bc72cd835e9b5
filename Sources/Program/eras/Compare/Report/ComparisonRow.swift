/// One scenario in one column, for `--json` and the tables.
struct ComparisonRow: Encodable, Equatable {
    var scenario: String
    var column: Column
    /// The column with which it is compared; nil in the first.
    var reference: Column?
    var verdict: Verdict
    /// Why it failed, or the sentences on its differences; empty without differences.
    var difference: String
    var causes: [Cause]
    /// Nil with too few runs, in the first column, and where the work differs.
    var pace: String?
    var requests: Int
    var connections: Int
    var threads: Int
    var wallMilliseconds: Double
    /// The shortest of all runs.
    var leastMilliseconds: Double
    /// The longest of all runs.
    var mostMilliseconds: Double
    var processorMilliseconds: Double
    var runs: Int
    /// In the order of the calls.
    var callbacks: [Stage.Callback]
    /// Sorted by name.
    var outcomes: [Outcome]

    enum CodingKeys: String, CodingKey {
        case scenario, column
        case reference = "compared_with"
        case verdict, difference
        case causes = "because_of"
        case pace, requests, connections, threads
        case wallMilliseconds = "wall_ms"
        case leastMilliseconds = "wall_min_ms"
        case mostMilliseconds = "wall_max_ms"
        case processorMilliseconds = "cpu_ms"
        case runs, callbacks, outcomes
    }

    /// Takes its numbers from the run with the median wall time.
    init(_ compared: ComparedScenario, _ column: Column) {
        let run = compared.shown(column)
        let judgement = compared.judgements[column] ?? Judgement(.failed, "it was not run")
        let isDifferent = judgement.verdict == .different
        scenario = compared.scenario.id
        self.column = column
        reference = column.reference
        verdict = judgement.verdict
        difference =
            isDifferent
            ? compared.scenario.changes.filter { $0.columns.contains(column) }.map(\.sentence)
                .joined(separator: " ") : judgement.failure
        causes = isDifferent ? compared.scenario.changes.causes(in: column) : []
        let pace = compared.pace(column)
        self.pace = pace == .unknown ? nil : pace.rawValue
        requests = run.requests
        connections = run.connections
        threads = run.threads
        wallMilliseconds = Self.rounded(run.wallMilliseconds)
        leastMilliseconds = Self.rounded(compared.spread(column)?.lowerBound ?? 0)
        mostMilliseconds = Self.rounded(compared.spread(column)?.upperBound ?? 0)
        processorMilliseconds = Self.rounded(run.processorMilliseconds)
        runs = compared.runs[column]?.count ?? 0
        callbacks = run.callbacks
        outcomes = run.outcomes.sorted { $0.name < $1.name }
    }

    /// With two decimals.
    private static func rounded(_ value: Double) -> Double {
        (value * 100).rounded() / 100
    }

    /// How the results compare with the reference's: equal, the causes of differences, or FAILED; a
    /// dash in the first column.
    var result: String {
        switch verdict {
        case .failed: "FAILED"
        case .different: causes.map(\.word).joined(separator: ", ")
        case .equal: reference == nil ? "-" : verdict.rawValue
        }
    }

    /// The shortest and the longest wall time.
    var range: String {
        "\(ComparisonReport.tenths(leastMilliseconds))-\(ComparisonReport.tenths(mostMilliseconds))"
    }
}
