import Foundation

/// Pure: a comparison as Documentation/Comparison.md.
///
/// Everything but the part between the two marks follows from sources and verdicts.
struct ComparisonDocument {
    static let measuredBegins = "<!-- measured: begin -->"
    static let measuredEnds = "<!-- measured: end -->"
    /// The folder of the scenarios' sources, from the project's folder on.
    static let sources = "Sources/eras/Compare/Scenarios"

    var report: ComparisonReport
    var machine: Machine
    /// The text of a scenario's source by the name of its type.
    var source: (String) -> String?

    var text: String {
        """
        # The connection era and the session era

        Written by `eras compare --markdown`, from its sources and from a run; do not edit.

        Each scenario is one file in [Compare/Scenarios](../\(Self.sources)), one function an era, and
        runs in a process of its own against a server on loopback. "Equal" means that every
        outcome is the same and the server saw the same requests, "different" that exactly the
        difference named here was seen; anything else is a failure. "Because of" says whose doing a
        difference is: the era's design, which is what the later era was meant to change; Foundation
        on Linux, which does not do what Apple's does, or was seen to do so on Linux alone; or a
        repair of this port, whose connection era does not do what the original did.

        \(TimelinePage.numbers)

        ## What changed

        \(changes)
        ## What differs

        \(differences)
        ## What was measured

        \(Self.measuredBegins)
        \(measurements)\(Self.measuredEnds)

        ## The code

        \(report.scenarios.map { code($0.scenario) }.joined(separator: "\n"))
        """
    }

    /// The text without the measurements, which differ from run to run.
    static func lasting(_ text: String) -> String {
        guard let begin = text.range(of: measuredBegins),
            let end = text.range(of: measuredEnds, range: begin.upperBound..<text.endIndex)
        else { return text }
        return String(text[..<begin.upperBound]) + text[end.lowerBound...]
    }

    private var changes: String {
        Self.table(
            ["scenario", "verdict", "because of", "what changed and why", "source"],
            report.scenarios.map { compared in
                let scenario = compared.scenario
                return [
                    "[\(scenario.title)](#\(scenario.id))", compared.judgement.verdict.rawValue,
                    scenario.change.causes.text, scenario.change.sentence, scenario.change.source,
                ]
            })
    }

    private var differences: String {
        Self.table(
            ["scenario", "outcome", "connection era", "session era"],
            report.scenarios.flatMap { compared in
                compared.scenario.change.differences.map { difference in
                    [
                        compared.scenario.title, difference.outcome,
                        Self.code(difference.connection), Self.code(difference.session),
                    ]
                }
            })
    }

    private var measurements: String {
        let count = report.rows.first?.runs ?? 0
        let table = Self.table(
            [
                "scenario", "era", "faster", "requests", "connections", "threads", "wall, ms",
                "range", "cpu, ms",
            ],
            report.rows.map { row in
                [
                    row.scenario, row.era.rawValue, row.faster ?? "-", "\(row.requests)",
                    "\(row.connections)",
                    "\(row.threads)", ComparisonReport.tenths(row.wallMilliseconds),
                    row.range, ComparisonReport.tenths(row.processorMilliseconds),
                ]
            })
        return "On \(machine.text), \(machine.day); \(Quantity.count(count, "run")) of each.\n\n"
            + "\(ComparisonReport.numbers)\n\n\(table)"
    }

    private func code(_ scenario: any Scenario) -> String {
        let excerpt = SourceExcerpt(source: source("\(type(of: scenario))") ?? "")
        let cells = ["connectionEra", "sessionEra"].map { name in
            "<td valign=\"top\">\n\n```swift\n\(excerpt.function(name) ?? "")\n```\n\n</td>"
        }
        return """
            <a id="\(scenario.id)"></a>
            ### \(scenario.title)

            \(scenario.question) `eras compare \(scenario.id)`

            <table><tr><th>connection era</th><th>session era</th></tr><tr>
            \(cells.joined(separator: "\n"))
            </tr></table>

            """
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
