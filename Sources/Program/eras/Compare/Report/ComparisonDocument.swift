import Foundation
import Lessons

/// A comparison as Documentation/Comparison.md.
///
/// Except for the measurements between the two marks, it depends on sources and verdicts alone.
struct ComparisonDocument {
    static let measuredBegins = "<!-- measured: begin -->"
    static let measuredEnds = "<!-- measured: end -->"
    /// The folders of the scenarios' sources: of scenarios that the originals had too, and of those
    /// about additions.
    static let sources = [
        "Sources/Program/eras/Compare/Scenarios", "Sources/Program/eras/Compare/Additions",
    ]

    var report: ComparisonReport
    var machine: Machine
    /// The text of a scenario's source by the name of its type.
    var source: (String) -> String?

    var text: String {
        """
        # The eras, side by side

        Written by `eras compare --markdown`, from its sources and from a run; do not edit.

        \(Self.table(["column", "what runs in it", "compared with"], ComparisonReport.columns()))
        Each scenario is one file in [Compare/Scenarios](../\(Self.sources[0])) or, where it is about what
        this package adds, in [Compare/Additions](../\(Self.sources[1])), one function a column, and runs in a process of its own for each, against a server on loopback. URLSession has a column where it comes to something else on Linux, or where its pace is worth a look. "Equal" means that
        every outcome is the same and the server saw the same requests, "different" that exactly the
        differences named here were seen; anything else is a failure.

        Each difference has one cause. The era's design is what the later era was meant to change.
        Foundation on Linux does not do what Apple's does, or was seen to do so on Linux alone. A repair
        of this port is where this package does not do what the original did.

        \(ComparisonReport.statements)

        ## The scenarios

        \(overview)
        \(Cause.allCases.map { "## \($0.heading)\n\n\(changes($0))" }.joined(separator: "\n"))
        ## What differs

        \(differences)
        \(absences)## What was measured

        \(Self.measuredBegins)
        \(measurements)\(Self.measuredEnds)

        ## The code

        \(report.scenarios.map { code($0.scenario) }.joined(separator: "\n"))
        """
    }

    /// The text without the measurements, which differ between runs.
    static func lasting(_ text: String) -> String {
        guard let begin = text.range(of: measuredBegins),
            let end = text.range(of: measuredEnds, range: begin.upperBound..<text.endIndex)
        else { return text }
        return String(text[..<begin.upperBound]) + text[end.lowerBound...]
    }

    // MARK: What changed

    /// A row for each scenario: the verdict, and the result of each column.
    private var overview: String {
        let columns = Column.allCases.filter { $0.reference != nil }
        return Self.table(
            ["scenario", "verdict"] + columns.map(\.rawValue),
            report.scenarios.map { compared in
                [Self.link(compared.scenario), compared.verdict.rawValue]
                    + columns.map { column in
                        compared.judgements[column] == nil
                            ? "-" : ComparisonRow(compared, column).result
                    }
            })
    }

    private func changes(_ cause: Cause) -> String {
        Self.table(
            ["scenario", "what, and why", "results differ in", "source"],
            report.scenarios.flatMap { compared in
                compared.scenario.changes.filter { $0.cause == cause }.map { change in
                    [
                        Self.link(compared.scenario), change.sentence,
                        change.columns.isEmpty ? "-" : change.columns.text,
                        change.source,
                    ]
                }
            })
    }

    private var differences: String {
        Self.table(
            ["scenario", "outcome", "in", "its value", "compared with", "because of"],
            report.scenarios.flatMap { compared in
                compared.scenario.changes.flatMap { change in
                    change.differences.map { difference in
                        [
                            compared.scenario.title, difference.outcome,
                            difference.columns.text,
                            Self.code(difference.value),
                            Self.code(difference.reference), change.cause.rawValue,
                        ]
                    }
                }
            })
    }

    /// The eras that a scenario does not have.
    private var absences: String {
        let rows = report.scenarios.flatMap { compared in
            Column.allCases.compactMap { column in
                compared.scenario.without[column].map {
                    [compared.scenario.title, column.title, $0]
                }
            }
        }
        guard !rows.isEmpty else { return "" }
        return "## What has no column\n\n\(Self.table(["scenario", "era", "why"], rows))\n"
    }

    // MARK: Numbers and code

    private var measurements: String {
        let count = report.rows.first?.runs ?? 0
        let table = Self.table(
            [
                "scenario", "column", "pace", "requests", "connections", "threads", "wall, ms",
                "range", "cpu, ms",
            ],
            report.rows.map { row in
                [
                    row.scenario, row.column.rawValue, row.pace ?? "-", "\(row.requests)",
                    "\(row.connections)",
                    "\(row.threads)", ComparisonReport.tenths(row.wallMilliseconds),
                    row.range, ComparisonReport.tenths(row.processorMilliseconds),
                ]
            })
        return "On \(machine.text), \(machine.day); \(Quantity.count(count, "run")) of each.\n\n"
            + "\(ComparisonReport.numbers)\nThe range is that of all runs.\n\n\(table)"
    }

    private func code(_ scenario: any Scenario) -> String {
        let text = source("\(type(of: scenario))") ?? ""
        let cells = scenario.columns.map { column in
            let lines = SourceExcerpt.lines(of: column.function, in: text) ?? []
            return "<td valign=\"top\">\n\n```swift\n\(lines.joined(separator: "\n"))\n```\n\n</td>"
        }
        return """
            <a id="\(scenario.id)"></a>
            ### \(scenario.title)

            \(scenario.question) `eras compare \(scenario.id)`

            <table><tr>\(scenario.columns.map { "<th>\($0.title)</th>" }.joined())</tr><tr>
            \(cells.joined(separator: "\n"))
            </tr></table>

            """
    }

    private static func link(_ scenario: any Scenario) -> String {
        "[\(scenario.title)](#\(scenario.id))"
    }

    private static func code(_ value: String) -> String {
        value == "-" ? "-" : "`\(value)`"
    }

    private static func table(_ headings: [String], _ rows: [[String]]) -> String {
        ([headings, headings.map { _ in "---" }] + rows).map { row in
            "| " + row.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
        }.joined()
    }
}
