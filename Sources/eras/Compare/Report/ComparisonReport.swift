import Foundation

/// Pure: the report of a comparison.
struct ComparisonReport {
    var scenarios: [ComparedScenario]

    /// Two rows for each scenario.
    var rows: [ComparisonRow] {
        scenarios.flatMap { compared in Era.allCases.map { ComparisonRow(compared, $0) } }
    }

    var hasFailed: Bool { scenarios.contains { $0.judgement.verdict == .failed } }

    /// The table, the differences, the counts, and the meaning of the verdicts.
    var text: String {
        let notes = scenarios.compactMap { compared in
            compared.judgement.verdict == .equal
                ? nil
                : note(
                    compared.scenario.id, compared.judgement,
                    compared.scenario.change.causes.text)
        }
        let differences = notes.isEmpty ? "" : "\n" + notes.joined()
        return "\n\(table)\(differences)\n\(count)\n\(Self.meaning)\n"
    }

    /// What verdicts and numbers mean.
    static let meaning = """
        equal: the same results in both eras and the same requests, whatever numbers of
        connections and threads they took. different: results or requests differ exactly as is
        known; a line above says how, and the column whose doing it is.
        \(numbers)
        """

    /// How the numbers were measured, also for the page and the document.
    static let numbers = """
        Numbers are those of the run with the median wall time; the range is that of all runs.
        Before the clock starts, the server and each process have done one get. faster: four
        fifths of an era's runs took less time than every run of the other, and the median is a
        tenth less, at least 1 ms; anything else is level.
        """

    private var table: String {
        TextTable(
            headings: [
                "scenario", "era", "verdict", "because of", "faster", "requests", "connections",
                "threads", "wall, ms", "range", "cpu, ms",
            ],
            rightAligned: [5, 6, 7, 8, 9, 10],
            rows: rows.map { row in
                let isFirst = row.era == Era.allCases.first
                return [
                    isFirst ? row.scenario : "", row.era.rawValue,
                    isFirst ? row.verdict.rawValue : "", row.cause(isFirst),
                    isFirst ? row.faster ?? "-" : "", "\(row.requests)", "\(row.connections)",
                    "\(row.threads)", Self.tenths(row.wallMilliseconds), row.range,
                    Self.tenths(row.processorMilliseconds),
                ]
            }
        ).text
    }

    private func note(_ id: String, _ judgement: Judgement, _ causes: String) -> String {
        let isFailed = judgement.verdict == .failed
        let label = isFailed ? "\(id) FAILED: " : "\(id) (\(causes)): "
        return label + judgement.difference + "\n"
    }

    private var count: String {
        let verdicts = scenarios.map(\.judgement.verdict)
        let parts = [(Verdict.equal, "equal"), (.different, "different"), (.failed, "failed")].map {
            verdict, word in "\(verdicts.count { $0 == verdict }) \(word)"
        }
        return Quantity.count(scenarios.count, "scenario") + ": " + parts.joined(separator: ", ")
            + "."
    }

    /// One digit after the point.
    static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// A list of objects, one a line.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = rows.compactMap { row in
            (try? encoder.encode(row)).map { String(decoding: $0, as: UTF8.self) }
        }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }
}
