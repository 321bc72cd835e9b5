import EraLessons
import TestSupport

@testable import Lessons

@Suite("The experiments of the lessons", .serialized, .timeLimit(.minutes(30)))
struct ExperimentTests {
    /// `LESSON_RUNS=20` looks whether the verdicts are the same 20 of 20.
    private static let runs =
        ProcessInfo.processInfo.environment["LESSON_RUNS"].flatMap { Int($0) } ?? 1

    /// What each experiment measures, every time; without what depends on the machine or the moment.
    private static let expected: [Int: (answer: Int, facts: [[String]])] = [
        1: (1, [["2", "1"], ["2", "2"]]),
        2: (3, [["16", "16"], ["1", "16"]]),
        4: (
            2,
            [
                ["yes", "no"], ["yes", "yes"],
                ["afterWaiting, beforeTimers, beforeSources", "-"], ["afterWaiting", "-"],
                ["afterWaiting", "-"],
            ]
        ),
        5: (2, [["yes", "no"], ["yes", "yes"]]),
        6: (
            3,
            [
                ["yes", "no", "-", "-"], ["yes", "-", "yes", "yes"], ["yes", "-", "no", "yes"],
                ["1", "-", "1", "2"],
            ]
        ),
        7: (
            3,
            [
                ["yes", "no", "yes", "yes"], ["1", "0", "2", "1"], ["1", "0", "2", "1"],
                ["yes", "-", "yes", "no"], ["yes", "-", "yes", "no"],
            ]
        ),
        8: (1, [["0", "1", "0"], ["0", "1", "0"], ["yes", "yes", "no"]]),
        3: (3, [["no", "yes", "no"], ["yes", "no", "yes"]]),
        9: (
            1,
            [
                ["64", "64", "-"], ["yes", "no", "-"], ["yes", "no", "-"], ["yes", "no", "-"],
                ["yes", "-", "no"],
            ]
        ),
        10: (2, [["yes", "no", "no"], ["yes", "yes", "no"]]),
        11: (
            2,
            [
                ["yes", "yes", "yes", "yes", "yes"], ["yes", "yes", "no", "yes", "yes"],
                ["no", "yes", "no", "no", "no"], ["no", "no", "no", "no", "no"],
                ["yes", "yes", "no", "no", "no"], ["no", "yes", "no", "no", "no"],
            ]
        ),
        12: (
            3,
            [["1", "2"], ["4", "10"], ["4", "4"], ["4", "4"], ["2", "1"], ["yes", "no"]]
        ),
        13: (2, [["AB", "AB"], ["AB", "BA"], ["no", "yes"]]),
        14: (
            3,
            [["AB", "B", "-"], ["C", "AC", "-"], ["1", "-", "99"], ["yes", "-", "no"]]
        ),
        15: (1, [["yes", "yes", "no"], ["yes", "yes", "no"], ["yes", "no", "yes"]]),
        16: (
            1,
            [
                ["100", "100", "100", "-"], ["10", "10", "100", "-"], ["5", "10", "1", "-"],
                ["9", "9", "9", "-"], ["2", "-", "-", "1"], ["100, 60", "-", "-", "-"],
            ]
        ),
        17: (2, [["yes", "no"]]),
        18: (
            3,
            [
                ["yes", "no", "no", "no", "no"], ["no", "yes", "no", "no", "no"],
                ["2", "2", "1", "2", "2"], ["0", "0", "0", "1", "0"],
                ["no", "no", "no", "no", "yes"],
            ]
        ),
    ]

    private static func result(of number: Int) async throws -> ExperimentResult {
        let lesson = try #require(Course.lesson(number))
        return try await onNewThread { Result { try lesson.run() } }.get()
    }

    @Test(arguments: expected.keys.sorted())
    func `the correct variant works, and each mistake shows`(in number: Int) async throws {
        let expected = try #require(Self.expected[number])
        for _ in 0..<Self.runs {
            let result = try await Self.result(of: number)
            #expect(result.answer == expected.answer)
            #expect(result.facts.filter { !$0.varies }.map(\.values) == expected.facts)
            for variant in result.variants {
                #expect(PictureWords.title(of: variant) != nil, "\(variant)")
            }
            for fact in result.facts { #expect(fact.values.count == result.variants.count) }
        }
    }

    @Test
    func `a run loop that is run again spins`() async throws {
        let entries = try await Self.result(of: 3).facts[0].values.compactMap { Int($0) }
        #expect(entries.prefix(2) == [1, 1] && entries[2] > 1_000)
    }

    @Test
    func `there are eighteen lessons, and each has its expectation here`() {
        #expect(Course.lessons.map(\.number) == Array(1...18))
        #expect(Set(Self.expected.keys) == Set(1...18))
        #expect(Set(Course.lessons.map(\.name)).count == 18)
    }

    @Test
    func `no answer's number is right in more than half of the lessons`() {
        let answers = Self.expected.values.map { $0.answer }
        for place in 1...3 { #expect((4..<9).contains(answers.count { $0 == place })) }
    }

    @Test
    func `a table has a column for each variant, in both languages`() {
        let result = ExperimentResult(
            variants: ["correct", "late"], facts: [.init(Words("on time", "准时"), [true, false])])
        #expect(
            result.table(in: .english)
                == "| | correct | late |\n|---|---:|---:|\n| on time | yes | no |")
        #expect(result.table(in: .simplifiedChinese).contains("| 准时 | 是 | 否 |"))
        #expect(result.lines(in: .english) == ["on time?", "    correct: yes, late: no"])
        #expect(
            result.lines(in: .simplifiedChinese) == ["准时？", "    correct：是，late：否"])
    }
}
