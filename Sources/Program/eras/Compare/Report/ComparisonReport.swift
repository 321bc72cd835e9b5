import Foundation

/// The report of a comparison.
struct ComparisonReport {
    var scenarios: [ComparedScenario]

    /// The rows of each scenario, one for each of its columns.
    var groups: [[ComparisonRow]] {
        scenarios.map { compared in
            compared.scenario.columns.map { ComparisonRow(compared, $0) }
        }
    }

    var rows: [ComparisonRow] { groups.flatMap(\.self) }

    var hasFailed: Bool { scenarios.contains { $0.verdict == .failed } }

    /// The table, the differences by cause, the counts and an explanation. Lines have at most 80
    /// columns, except for a longer name or value.
    var text: String {
        "\n\(table)\n\(failures)\(differences)\(counts)\n\n\(Self.meaning)\n"
    }

    /// The explanation of words and numbers.
    static let meaning = """
        results: each column is compared with the one named at the top. equal: the same
        results and the same requests, whatever numbers of sockets and threads they
        took. Else it names the cause of the known difference, or says that it FAILED.
        \(numbers)
        """

    /// How the numbers were measured, also for the page and the document.
    static let numbers = """
        Numbers are those of the run with the median wall time. Before the clock starts,
        the server and each process have done one get. faster or slower: four fifths of
        the one's runs took less time than every run of the other, and the median is a
        tenth less, at least 1 ms; anything else is level. Times are compared where
        both did the same work, with the same results and the same requests.
        """

    /// The explanation of statements' numbers, for the page and the document.
    static let statements = """
        Numbers in parentheses, such as UM-10, are explained in Documentation/Statements.md: LX is \
        what was measured of Foundation on Linux, UM and HM what AFNetworking 4's session \
        managers do, AL what Alamofire 4's requests do, HO, AU, BA, RE and SR what operations, challenges, batches and serializers \
        do, IM what the image stack does; a defect is a known one of AFNetworking.
        """

    /// The columns, each with its reference.
    static func columns(_ columns: [Column] = Column.allCases) -> [[String]] {
        columns.map { column in
            [column.rawValue, column.summary, column.reference?.rawValue ?? "-"]
        }
    }

    private var table: String {
        let legend = TextTable(
            headings: ["column", "what runs in it", "compared with"], rows: Self.columns())
        // One table, so that the columns of all scenarios are aligned.
        let all = TextTable(
            headings: [
                "", "results", "pace", "requests", "sockets", "threads", "wall, ms", "cpu, ms",
            ],
            rightAligned: [3, 4, 5, 6, 7],
            rows: rows.map { row in
                [
                    "  " + row.column.rawValue, row.result, row.pace ?? "-", "\(row.requests)",
                    "\(row.connections)", "\(row.threads)", Self.tenths(row.wallMilliseconds),
                    Self.tenths(row.processorMilliseconds),
                ]
            }
        ).text
        var lines = all.split(separator: "\n").map(String.init)
        var at = 2
        for compared in scenarios {
            lines.insert(compared.scenario.id, at: at)
            at += compared.scenario.columns.count + 1
        }
        return legend.text + "\n" + lines.joined(separator: "\n") + "\n"
    }

    private var failures: String {
        let failed = scenarios.filter { $0.verdict == .failed }
        return failed.map { compared in
            Wrapping.text(compared.failure, after: "\(compared.scenario.id) FAILED: ", indent: 2)
        }.joined() + (failed.isEmpty ? "" : "\n")
    }

    /// The changes by cause, of results that differ.
    private var differences: String {
        Cause.allCases.map { cause in
            let notes = scenarios.filter { $0.verdict != .failed }.flatMap { compared in
                compared.scenario.changes.filter {
                    $0.cause == cause && !$0.differences.isEmpty
                }.map { change in
                    let lead = "  \(compared.scenario.id) (\(change.columns.text)): "
                    return Wrapping.text(change.sentence, after: lead, indent: 4)
                }
            }
            return notes.isEmpty ? "" : cause.heading + "\n" + notes.joined() + "\n"
        }.joined()
    }

    private var counts: String {
        let verdicts = scenarios.map(\.verdict)
        let parts = Verdict.allCases.map { verdict in
            "\(verdicts.count { $0 == verdict }) \(verdict.rawValue)"
        }
        let whose = Cause.allCases.map { cause in
            let count = scenarios.count {
                $0.verdict == .different && $0.scenario.changes.causes.contains(cause)
            }
            return "\(cause.rawValue) \(count)"
        }
        let isDifferent = verdicts.contains(.different)
        return Quantity.count(scenarios.count, "scenario") + ": " + parts.joined(separator: ", ")
            + "." + (isDifferent ? "\nBecause of: \(whose.joined(separator: ", "))." : "")
    }

    /// With one decimal.
    static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// A list of JSON objects, one a line.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = rows.compactMap { row in
            (try? encoder.encode(row)).map { String(decoding: $0, as: UTF8.self) }
        }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }
}

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
