import Foundation
import Testing

@testable import eras

@Suite("Scenarios", .serialized, .timeLimit(.minutes(2)))
struct ScenarioTests {
    @Test(arguments: ScenarioList.all.map(\.id))
    func `both eras come to what the scenario declares`(id: String) async throws {
        let scenario = try #require(ScenarioList.scenario(id))
        let room = ScenarioRoom(scenario: scenario)
        let judgement = Judgement(
            connection: try await room.run(.connection), session: try await room.run(.session),
            change: scenario.change)
        let expected = scenario.change.differences.isEmpty ? Verdict.equal : .different
        #expect(judgement.verdict == expected, "\(judgement.difference)")
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
