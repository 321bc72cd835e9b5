import TestSupport

@testable import eras

@Suite("The report of a comparison", .timeLimit(.minutes(1)))
struct ComparisonReportTests {
    /// The scenario's columns, with an outcome of the last.
    private func report(
        _ value: String = "1", of scenario: any Scenario = TenJSONGets(), wall: Double = 12.34
    ) -> ComparisonReport {
        var run = ColumnRun(outcomes: [Outcome("a", "1")])
        run.callbacks = [.init(name: "a", place: "main")]
        run.requests = 10
        run.wallMilliseconds = wall
        var runs = Dictionary(uniqueKeysWithValues: Column.allCases.map { ($0, [run]) })
        run.outcomes = [Outcome("a", value)]
        runs[.foundation] = [run]
        return ComparisonReport(scenarios: [ComparedScenario(scenario, runs: runs)])
    }

    /// A scenario with the declared outcomes, as if it had been run.
    private func declared(_ scenario: any Scenario) -> ComparedScenario {
        var first = ["a": "1"]
        for difference in Column.allCases.flatMap(scenario.changes.differences) {
            first[difference.outcome] = first[difference.outcome] ?? difference.reference
        }
        var values: [Column: [String: String]] = [:]
        for column in Column.allCases {
            var known = column.reference.flatMap { values[$0] } ?? first
            for difference in scenario.changes.differences(in: column) {
                known[difference.outcome] = difference.value
            }
            values[column] = known
        }
        return ComparedScenario(
            scenario,
            runs: values.mapValues { known in
                [ColumnRun(outcomes: known.filter { $0.value != "-" }.map { Outcome($0, $1) })]
            })
    }

    private func document(_ report: ComparisonReport, _ day: Double = 0) -> String {
        ComparisonDocument(
            report: report,
            machine: Machine(
                processor: "P", cores: 2, system: "S", date: Date(timeIntervalSince1970: day)),
            source: { _ in "    func connectionEra() {\n        old()\n    }\n" }
        ).text
    }

    @Test func `the table has a line for each column under its scenario, and counts at the end`() {
        let text = report().text
        #expect(text.contains("\nten-json-gets\n  connection  -  "))
        for column in Column.allCases {
            #expect(text.contains("\n  \(column.rawValue) "))
            #expect(text.contains("\n\(Padding.left(column.rawValue, 10))  \(column.summary)"))
        }
        #expect(text.contains("12.3"))
        let meaning = ComparisonReport.meaning
        #expect(text.hasSuffix("1 scenario: 1 equal, 0 different, 0 failed.\n\n\(meaning)\n"))
        #expect(!report().hasFailed)
    }

    @Test func `no line is wider than a terminal of 80 columns, with every scenario in it`() {
        let report = ComparisonReport(scenarios: ScenarioList.all.map(declared))
        #expect(!report.hasFailed)
        let wide = report.text.split(separator: "\n").filter { $0.count > 80 }
        #expect(wide == [])
    }

    @Test func `a difference is under the heading of its cause, and under no other`()
        throws
    {
        for scenario in ScenarioList.all {
            let text = ComparisonReport(scenarios: [declared(scenario)]).text
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for cause in Cause.allCases {
                let changes = scenario.changes.filter {
                    $0.cause == cause && !$0.differences.isEmpty
                }
                #expect(lines.contains(Substring(cause.heading)) == !changes.isEmpty)
                guard let start = lines.firstIndex(of: Substring(cause.heading)) else { continue }
                let end = try #require(lines[start...].firstIndex(of: ""))
                let notes = lines[(start + 1)..<end].filter { $0.hasPrefix("  \(scenario.id) (") }
                #expect(notes.count == changes.count)
            }
        }
    }

    @Test func `what failed is reported, with the reason`() {
        let failed = report("2")
        #expect(failed.hasFailed)
        let words = failed.text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("ten-json-gets FAILED: \(Column.foundation.title): a: 1 ("))
        #expect(failed.text.contains("  foundation  FAILED"))
    }

    @Test func `JSON is a list of objects with the documented keys`() throws {
        let list = try JSONSerialization.jsonObject(with: Data(report().json.utf8))
        let rows = try #require(list as? [[String: Any]])
        #expect(rows.map { $0["column"] as? String } == Column.allCases.map(\.rawValue))
        for row in rows {
            let isFirst = row["column"] as? String == "connection"
            let keys: Set = [
                "scenario", "column", "verdict", "difference", "because_of", "requests",
                "connections", "threads", "wall_ms", "wall_min_ms", "wall_max_ms", "cpu_ms",
                "runs", "callbacks", "outcomes",
            ]
            #expect(Set(row.keys) == (isFirst ? keys : keys.union(["compared_with"])))
        }
        #expect(rows[0]["verdict"] as? String == "equal")
        #expect(rows[0]["difference"] as? String == "")
        #expect(rows[0]["wall_ms"] as? Double == 12.34)
    }

    @Test func `the document differs from run to run only in what was measured`() {
        let one = document(report())
        let two = document(report(wall: 99), 86_400)
        #expect(one != two)
        #expect(ComparisonDocument.lasting(one) == ComparisonDocument.lasting(two))
        let failed = document(report("2"))
        #expect(ComparisonDocument.lasting(one) != ComparisonDocument.lasting(failed))
        #expect(ComparisonDocument.lasting("without marks") == "without marks")
    }

    @Test func `the document shows the code, and each change under its cause`() throws {
        let text = document(ComparisonReport(scenarios: ScenarioList.all.map(declared)))
        #expect(text.contains("```swift\nfunc connectionEra() {\n    old()\n}\n```"))
        let parts = text.components(separatedBy: "\n## ")
        for cause in Cause.allCases {
            let part = try #require(parts.first { $0.hasPrefix(cause.heading + "\n") })
            for change in ScenarioList.all.flatMap(\.changes) {
                #expect(part.contains(change.sentence) == (change.cause == cause))
            }
        }
    }

    @Test func `lines break between words, and a word that is too wide stays whole`() {
        #expect(Wrapping.text("a bb ccc", after: "x: ", indent: 2, width: 7) == "x: a bb\n  ccc\n")
        #expect(Wrapping.text("abcdefgh i", indent: 1, width: 4) == "abcdefgh\n i\n")
        #expect(Wrapping.text("", after: "x:", indent: 1) == "x:\n")
    }
}
