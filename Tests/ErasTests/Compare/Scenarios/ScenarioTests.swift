import Foundation
import Testing

@testable import eras

@Suite("Scenarios", .serialized, .timeLimit(.minutes(2)))
struct ScenarioTests {
    @Test(arguments: ScenarioList.all.map(\.id))
    func `both eras come to what the scenario declares`(id: String) async throws {
        let scenario = try #require(ScenarioList.scenario(id))
        let row = try #require(try await rows(of: id, runs: 1).first)
        let expected = scenario.change.differences.isEmpty ? Verdict.equal : .different
        #expect(
            row["verdict"] as? String == expected.rawValue, "\(row["difference"] ?? "")")
    }

    @Test func `who sees more requests is the same in twenty of twenty runs`() async throws {
        let rows = try await rows(of: "cancel-all", runs: 20)
        #expect(rows.map { $0["verdict"] as? String } == ["different", "different"])
        #expect(rows[0]["requests"] as? Int == 3)
        #expect((rows[1]["requests"] as? Int ?? 0) > 3)
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

    @Test func `a scenario has causes exactly where it has differences`() {
        for scenario in ScenarioList.all {
            #expect(
                scenario.change.causes.isEmpty == scenario.change.differences.isEmpty,
                "\(scenario.id)")
        }
    }

    /// What the program says of a scenario, an object an era.
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
            #expect(scenario.change.sentence.hasSuffix("."), "\(scenario.id)")
            #expect(!scenario.change.source.isEmpty, "\(scenario.id)")
        }
    }

    @Test func `each is a file with one function an era`() throws {
        for scenario in ScenarioList.all {
            let file = projectFolder.appendingPathComponent(
                "\(ComparisonDocument.sources)/\(type(of: scenario)).swift")
            let excerpt = SourceExcerpt(source: try String(contentsOf: file, encoding: .utf8))
            for era in ["connectionEra", "sessionEra"] {
                let text = try #require(excerpt.function(era), "\(scenario.id)")
                #expect(text.hasPrefix("func \(era)(_ stage: Stage)"))
                #expect(text.hasSuffix("\n}"))
            }
        }
    }

    @Test func `a function is cut out at its own brace`() {
        let excerpt = SourceExcerpt(
            source: """
                struct A {
                    func one() {
                        if true {

                        }
                    }

                    func two() {}
                    func three() {
                    }
                }
                """)
        #expect(excerpt.function("one") == "func one() {\n    if true {\n\n    }\n}")
        #expect(excerpt.function("three") == "func three() {\n}")
        #expect(excerpt.function("on") == nil)
        #expect(excerpt.function("four") == nil)
    }
}
