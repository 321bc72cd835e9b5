import Lessons
import TestSupport

@testable import eras

@Suite("Scenarios", .serialized, .timeLimit(.minutes(2)))
struct ScenarioTests {
    @Test(arguments: ScenarioList.all.map(\.id))
    func `every column has the outcomes that the scenario declares`(id: String) async throws {
        let scenario = try #require(ScenarioList.scenario(id))
        let rows = try await rows(of: id, runs: 1)
        #expect(rows.map { $0["column"] as? String } == scenario.columns.map(\.rawValue))
        for (row, column) in zip(rows, scenario.columns) {
            let isEqual = scenario.changes.differences(in: column).isEmpty
            #expect(
                row["verdict"] as? String == (isEqual ? "equal" : "different"),
                "\(column): \(row["difference"] ?? "")")
        }
    }

    @Test func `the column with more requests is the same in twenty of twenty runs`() async throws {
        let rows = try await rows(of: "cancel-all", runs: 20)
        for row in rows {
            let isFoundation = row["column"] as? String == "foundation"
            #expect(row["verdict"] as? String == (isFoundation ? "different" : "equal"))
            let requests = try #require(row["requests"] as? Int)
            #expect(isFoundation ? (3...6).contains(requests) : requests == 3)
        }
    }

    @Test func `the requests that the server saw are an outcome of every scenario`() async throws {
        for id in ["ten-json-gets", "connection-refused"] {
            for row in try await rows(of: id, runs: 1) {
                let outcomes = try #require(row["outcomes"] as? [[String: String]])
                let requests = outcomes.first { $0["name"] == "requests" }
                #expect(
                    requests?["value"] == (id == "ten-json-gets" ? "10 GET /get" : "none"))
            }
        }
    }

    @Test func `a difference has a cause that its column can have`() {
        for scenario in ScenarioList.all {
            for change in scenario.changes {
                for column in change.columns {
                    #expect(column.causes.contains(change.cause), "\(scenario.id), \(column)")
                }
                // Foundation is named only where it is seen.
                #expect(change.cause != .foundation || !change.columns.isEmpty, "\(scenario.id)")
            }
        }
    }

    @Test func `no outcome of a column has two causes`() {
        for scenario in ScenarioList.all {
            for column in Column.allCases {
                let outcomes = scenario.changes.differences(in: column).map(\.outcome)
                #expect(Set(outcomes).count == outcomes.count, "\(scenario.id), \(column)")
            }
        }
    }

    @Test func `a scenario says why an era has no column, and declares nothing of it`() {
        for scenario in ScenarioList.all {
            #expect(scenario.without[.connection] == nil)
            #expect(scenario.without.values.allSatisfy { $0.hasSuffix(".") }, "\(scenario.id)")
            let columns = Set(scenario.changes.flatMap(\.columns))
            #expect(columns.isSubset(of: scenario.columns), "\(scenario.id)")
        }
    }

    /// What the program says of a scenario, an object a column.
    private func rows(of id: String, runs: Int) async throws -> [[String: Any]] {
        let ending = try await Program.run(
            ["compare", id, "--runs", "\(runs)", "--json", "-", "-q"])
        let list = try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
        return try #require(list as? [[String: Any]])
    }

    @Test func `there are sixteen or more, each with its own name and words`() {
        let all = ScenarioList.all
        #expect(all.count >= 16)
        #expect(Set(all.map(\.id)).count == all.count)
        #expect(Set(all.map(\.title)).count == all.count)
        for scenario in all {
            #expect(scenario.id.allSatisfy { $0.isLowercase || $0 == "-" }, "\(scenario.id)")
            #expect(scenario.question.hasSuffix("?"), "\(scenario.id)")
            #expect(!scenario.changes.isEmpty, "\(scenario.id)")
            for change in scenario.changes {
                #expect(change.sentence.hasSuffix("."), "\(scenario.id)")
                #expect(!change.source.isEmpty, "\(scenario.id)")
            }
        }
    }

    @Test func `each is a file with one function a column`() throws {
        for scenario in ScenarioList.all {
            let source = ComparisonDocument.sources.lazy.compactMap { folder in
                let path = "\(folder)/\(type(of: scenario)).swift"
                return try? String(
                    contentsOf: packageFolder.appendingPathComponent(path), encoding: .utf8)
            }.first
            let file = try #require(source, "\(scenario.id)")
            for column in Column.allCases {
                let lines = SourceExcerpt.lines(of: column.function, in: file)
                guard scenario.columns.contains(column) else {
                    #expect(lines == nil, "\(scenario.id)")
                    continue
                }
                let text = try #require(lines, "\(scenario.id)")
                #expect(text[0].hasPrefix("func \(column.function)(_ stage: Stage)"))
                #expect(text.count > 1 && text.last == "}")
            }
        }
    }

    @Test func `a function is cut out at its own brace`() {
        let file = """
            struct A {
                func one() {
                    if true {

                    }
                }

                func two() {}
                func three() {
                }
            }
            """
        let one = ["func one() {", "    if true {", "", "    }", "}"]
        #expect(SourceExcerpt.lines(of: "one", in: file) == one)
        #expect(SourceExcerpt.lines(of: "two", in: file) == ["func two() {}"])
        #expect(SourceExcerpt.lines(of: "three", in: file) == ["func three() {", "}"])
        #expect(SourceExcerpt.lines(of: "on", in: file) == nil)
        #expect(SourceExcerpt.lines(of: "four", in: file) == nil)
    }
}
