/// One scenario in one era, as `--json` and the tables show it.
struct ComparisonRow: Encodable, Equatable {
    var scenario: String
    var era: Era
    var verdict: Verdict
    var difference: String
    var causes: [Cause]
    /// The faster era or "level"; nil where there are too few runs.
    var faster: String?
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
    /// In the order of their calls.
    var callbacks: [Stage.Callback]
    /// By name.
    var outcomes: [Outcome]

    enum CodingKeys: String, CodingKey {
        case scenario, era, verdict, difference
        case causes = "because_of"
        case faster, requests, connections, threads
        case wallMilliseconds = "wall_ms"
        case leastMilliseconds = "wall_min_ms"
        case mostMilliseconds = "wall_max_ms"
        case processorMilliseconds = "cpu_ms"
        case runs, callbacks, outcomes
    }

    /// The numbers are those of the run with the median wall time.
    init(_ compared: ComparedScenario, _ era: Era) {
        let run = compared.shown(era)
        scenario = compared.scenario.id
        self.era = era
        verdict = compared.judgement.verdict
        difference = compared.judgement.difference
        causes = compared.judgement.verdict == .different ? compared.scenario.change.causes : []
        faster = compared.pace == .unknown ? nil : compared.pace.word
        requests = run.requests
        connections = run.connections
        threads = run.threads
        wallMilliseconds = Self.rounded(run.wallMilliseconds)
        leastMilliseconds = Self.rounded(compared.spread(era)?.lowerBound ?? 0)
        mostMilliseconds = Self.rounded(compared.spread(era)?.upperBound ?? 0)
        processorMilliseconds = Self.rounded(run.processorMilliseconds)
        runs = compared.runs[era]?.count ?? 0
        callbacks = run.callbacks
        outcomes = run.outcomes.sorted { $0.name < $1.name }
    }

    /// To hundredths.
    private static func rounded(_ value: Double) -> Double {
        (value * 100).rounded() / 100
    }

    /// The first cause stands in the first era's line of the table, the others in the second's.
    func cause(_ isFirst: Bool) -> String {
        (isFirst ? causes.prefix(1) : causes.dropFirst()).map(\.word).joined(separator: ", ")
    }

    /// The shortest and the longest wall time.
    var range: String {
        "\(ComparisonReport.tenths(leastMilliseconds))-\(ComparisonReport.tenths(mostMilliseconds))"
    }
}
