import Foundation
import Testing

@testable import eras

@Suite("The report of a comparison", .timeLimit(.minutes(1)))
struct ComparisonReportTests {
    private func report(_ session: String) -> ComparisonReport {
        var connection = EraRun(outcomes: [Outcome("a", "1")])
        connection.callbacks = [.init(name: "a", place: "main")]
        connection.requests = 10
        connection.wallMilliseconds = 12.34
        return ComparisonReport(scenarios: [
            ComparedScenario(
                TenJSONGets(),
                runs: [
                    .connection: [connection],
                    .session: [EraRun(outcomes: [Outcome("a", session)])],
                ])
        ])
    }

    private func document(_ report: ComparisonReport, _ day: Double) -> String {
        ComparisonDocument(
            report: report,
            machine: Machine(
                processor: "P", cores: 2, system: "S", date: Date(timeIntervalSince1970: day)),
            source: { _ in "    func connectionEra() {\n        old()\n    }\n" }
        ).text
    }

    @Test func `the table has a line for each era, and counts at the end`() {
        let text = report("1").text
        #expect(text.contains("ten-json-gets  connection  equal                -             10"))
        #expect(text.contains("12.3"))
        let meaning = ComparisonReport.meaning
        #expect(text.hasSuffix("1 scenario: 1 equal, 0 different, 0 failed.\n\(meaning)\n"))
        #expect(!report("1").hasFailed)
    }

    @Test func `what failed is told, with the reason`() {
        let failed = report("2")
        #expect(failed.hasFailed)
        #expect(failed.text.contains("ten-json-gets FAILED: a: 1 (connection), 2 (session)\n"))
    }

    @Test func `JSON is a list of objects with the documented keys`() throws {
        let list = try JSONSerialization.jsonObject(with: Data(report("1").json.utf8))
        let rows = try #require(list as? [[String: Any]])
        #expect(rows.count == 2)
        for row in rows {
            #expect(
                Set(row.keys) == [
                    "scenario", "era", "verdict", "difference", "because_of", "requests",
                    "connections", "threads", "wall_ms", "wall_min_ms", "wall_max_ms", "cpu_ms",
                    "runs", "callbacks", "outcomes",
                ])
        }
        #expect(rows[0]["era"] as? String == "connection")
        #expect(rows[0]["verdict"] as? String == "equal")
        #expect(rows[0]["difference"] as? String == "")
        #expect(rows[0]["wall_ms"] as? Double == 12.34)
    }

    @Test func `the document differs from run to run only in what was measured`() {
        let one = document(report("1"), 0)
        var slower = report("1")
        slower.scenarios = [
            ComparedScenario(
                TenJSONGets(),
                runs: [
                    .connection: [EraRun(outcomes: [Outcome("a", "1")])],
                    .session: [EraRun(outcomes: [Outcome("a", "1")])],
                ])
        ]
        let two = document(slower, 86_400)
        #expect(one != two)
        #expect(ComparisonDocument.lasting(one) == ComparisonDocument.lasting(two))
        let failed = document(report("2"), 0)
        #expect(ComparisonDocument.lasting(one) != ComparisonDocument.lasting(failed))
        #expect(ComparisonDocument.lasting("without marks") == "without marks")
    }

    @Test func `the document shows the code`() {
        #expect(
            document(report("1"), 0).contains("```swift\nfunc connectionEra() {\n    old()\n}\n```")
        )
    }
}
