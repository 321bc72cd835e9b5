import Foundation

/// Pure: what a comparison says when it is over.
struct ComparisonReport {
    var scenarios: [ComparedScenario]

    /// Two a scenario.
    var rows: [ComparisonRow] {
        scenarios.flatMap { compared in Era.allCases.map { ComparisonRow(compared, $0) } }
    }

    var hasFailed: Bool { scenarios.contains { $0.judgement.verdict == .failed } }

    /// The table, the differences, one line that counts, and what the verdicts mean.
    var text: String {
        let notes = scenarios.compactMap { compared in
            compared.judgement.verdict == .equal
                ? nil : note(compared.scenario.id, compared.judgement)
        }
        let differences = notes.isEmpty ? "" : "\n" + notes.joined()
        return "\n\(table)\(differences)\n\(count)\n\(Self.meaning)\n"
    }

    /// How the verdicts are read.
    static let meaning =
        "equal: the same results in both eras, whatever numbers of requests, "
        + "connections and threads they took.\ndifferent: the results differ exactly as is "
        + "known, and a line above says how and why."

    private var table: String {
        TextTable(
            headings: [
                "scenario", "era", "verdict", "requests", "connections", "threads", "wall, ms",
                "cpu, ms",
            ],
            rightAligned: [3, 4, 5, 6, 7],
            rows: rows.map { row in
                let isFirst = row.era == Era.allCases.first
                return [
                    isFirst ? row.scenario : "", row.era.rawValue,
                    isFirst ? row.verdict.rawValue : "", "\(row.requests)", "\(row.connections)",
                    "\(row.threads)", Self.tenths(row.wallMilliseconds),
                    Self.tenths(row.processorMilliseconds),
                ]
            }
        ).text
    }

    private func note(_ id: String, _ judgement: Judgement) -> String {
        let label = judgement.verdict == .failed ? "\(id) FAILED: " : "\(id): "
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
