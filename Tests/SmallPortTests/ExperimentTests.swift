import Foundation
import TestSupport
import Testing

@testable import Lessons

@Suite("The experiments of the lessons", .timeLimit(.minutes(5)))
struct ExperimentTests {
    /// What each experiment measures, every time.
    private static let expected: [Int: (answer: Int, facts: [[String]])] = [
        1: (2, [["2", "1"], ["2", "2"]]),
        2: (3, [["16", "16"], ["1", "16"]]),
        4: (2, [["yes", "no"], ["yes", "yes"]]),
        5: (2, [["yes", "no"], ["yes", "yes"]]),
        6: (
            3,
            [
                ["yes", "no", "-", "-"], ["yes", "-", "yes", "yes"], ["yes", "-", "no", "yes"],
                ["1", "-", "1", "2"],
            ]
        ),
        7: (2, [["yes", "no", "yes"], ["1", "0", "2"], ["1", "0", "2"]]),
        8: (2, [["0", "1", "0"], ["0", "1", "0"], ["yes", "yes", "no"]]),
        10: (2, [["yes", "no", "no"], ["yes", "yes", "no"]]),
        13: (2, [["AB", "AB"], ["AB", "BA"], ["no", "yes"]]),
    ]

    private static func result(of number: Int) async throws -> ExperimentResult {
        let lesson = try #require(Lesson.number(number))
        return try await aside { Result { try lesson.run() } }.get()
    }

    @Test(arguments: expected.keys.sorted())
    func `the correct variant works, and each mistake shows`(in number: Int) async throws {
        let expected = try #require(Self.expected[number])
        let result = try await Self.result(of: number)
        #expect(result.answer == expected.answer)
        #expect(result.facts.map(\.values) == expected.facts)
        for fact in result.facts { #expect(fact.values.count == result.variants.count) }
    }

    @Test
    func `a run loop without a port returns, and one that is run again spins`() async throws {
        let result = try await Self.result(of: 3)
        #expect(result.answer == 2)
        let entries = result.facts[0].values.compactMap { Int($0) }
        #expect(entries.prefix(2) == [1, 1] && entries[2] > 1_000)
        #expect(
            result.facts.dropFirst().map { $0.values.prefix(2) } == [
                ["no", "yes"], ["yes", "no"],
            ])
    }

    @Test
    func `tasks that await all make their requests, and tasks that block do not`() async throws {
        let result = try await Self.result(of: 17)
        #expect(result.answer == 2)
        let numbers = result.facts.map { $0.values.compactMap { Int($0) } }
        #expect(numbers[0][0] == numbers[1][0] && numbers[1][1] < numbers[0][1])
    }

    @Test
    func `a lesson that has an experiment has its expectation here`() {
        #expect(Set(Lesson.all.map(\.number)) == Set(Self.expected.keys).union([3, 17]))
    }

    @Test
    func `a table has a column for each variant, in both languages`() {
        let result = ExperimentResult(
            variants: ["correct", "late"], facts: [.init(Words("on time", "准时"), [true, false])])
        #expect(
            result.table(in: .english)
                == "| | correct | late |\n|---|---:|---:|\n| on time | yes | no |")
        #expect(result.table(in: .simplifiedChinese).contains("| 准时 | yes | no |"))
    }
}
