import TestSupport

@testable import eras

@Suite("Verdicts of a comparison", .timeLimit(.minutes(1)))
struct JudgementTests {
    private static let differences: [Change.Difference] = [
        .init("b", in: .foundation, was: "1", is: "2"),
        .init("a", in: .foundation, was: "x", is: "-"),
    ]

    private func judge(
        _ outcomes: [Outcome], comparedWith reference: [Outcome],
        declared: [Change.Difference] = []
    ) -> Judgement {
        Judgement(.foundation, outcomes, comparedWith: reference, declared: declared)
    }

    @Test func `the same outcomes in another order are equal`() {
        let judgement = judge(
            [Outcome("b", "2"), Outcome("a", "1")],
            comparedWith: [Outcome("a", "1"), Outcome("b", "2")])
        #expect(judgement == Judgement(.equal))
    }

    @Test func `exactly the declared differences are different`() {
        let judgement = judge(
            [Outcome("c", "3"), Outcome("b", "2")],
            comparedWith: [Outcome("a", "x"), Outcome("b", "1"), Outcome("c", "3")],
            declared: Self.differences)
        #expect(judgement == Judgement(.different))
    }

    @Test func `a difference that was not declared fails and is named`() {
        let judgement = judge([Outcome("a", "2")], comparedWith: [Outcome("a", "1")])
        let reference = Column.foundation.reference?.rawValue ?? ""
        #expect(judgement == Judgement(.failed, "a: 1 (\(reference)), 2 (foundation)"))
    }

    @Test func `a declared difference that is not seen, or has another value, fails`() {
        let partly = judge(
            [Outcome("b", "1")], comparedWith: [Outcome("a", "x"), Outcome("b", "1")],
            declared: Self.differences)
        #expect(partly.verdict == .failed)
        #expect(partly.failure.hasPrefix("declared, but not seen: b: 1 ("))
        let other = judge(
            [Outcome("b", "3")], comparedWith: [Outcome("a", "x"), Outcome("b", "1")],
            declared: Self.differences)
        #expect(other.verdict == .failed)
        #expect(other.failure.contains("3 (foundation); declared, but not seen: b: 1 ("))
    }

    @Test func `an outcome that is recorded twice differs from one that is recorded once`() {
        let judgement = judge(
            [Outcome("a", "1"), Outcome("a", "1")], comparedWith: [Outcome("a", "1")])
        #expect(judgement.verdict == .failed)
        #expect(judgement.failure.hasSuffix("1, then 1 (foundation)"))
    }

    @Test func `two runs without an outcome are no agreement`() {
        #expect(judge([], comparedWith: []).verdict == .failed)
    }

    // MARK: All columns of a scenario

    private let good = ColumnRun(outcomes: [Outcome("a", "1")])
    private let bad = ColumnRun(outcomes: [Outcome("a", "2")])
    private let broken = ColumnRun(failure: "it broke")

    /// A scenario whose columns should all be equal, with these runs of one and good ones of the
    /// others.
    private func compared(_ column: Column, _ runs: [ColumnRun]) -> ComparedScenario {
        let others = Array(repeating: good, count: runs.count)
        return ComparedScenario(
            TenJSONGets(),
            runs: Dictionary(
                uniqueKeysWithValues: Column.allCases.map { ($0, $0 == column ? runs : others) }))
    }

    @Test func `the first run that failed decides, and says which it was`() throws {
        #expect(compared(.foundation, [good, good]).verdict == .equal)
        let late = compared(.foundation, [good, bad, good])
        #expect(late.verdict == .failed)
        let judgement = try #require(late.judgements[.foundation])
        #expect(judgement.failure.hasPrefix("run 2 of 3: a: 1 ("))
        #expect(late.failure == "\(Column.foundation.title): \(judgement.failure)")
        #expect(compared(.foundation, []).judgements[.foundation]?.failure == "it was not run")
    }

    @Test(arguments: Column.allCases)
    func `a column that broke fails, and so does each that is compared with it`(
        column: Column
    ) {
        let judgements = compared(column, [broken]).judgements
        #expect(judgements[column] == Judgement(.failed, "it broke"))
        for other in Column.allCases where other != column {
            let expected =
                other.reference == column
                ? Judgement(.failed, "nothing to compare with: the \(column.title) failed")
                : Judgement(.equal)
            #expect(judgements[other] == expected)
        }
    }

    @Test(arguments: Column.allCases.filter { $0.reference != nil })
    func `a difference in one column is none in another`(column: Column) {
        let judgements = compared(column, [bad]).judgements
        for other in Column.allCases {
            let isCompared = other == column || other.reference == column
            #expect(judgements[other]?.verdict == (isCompared ? .failed : .equal), "\(other)")
        }
    }

    @Test func `every column is compared with one before it`() {
        for (index, column) in Column.allCases.enumerated() {
            guard let reference = column.reference else {
                #expect(index == 0)
                continue
            }
            #expect(Column.allCases[..<index].contains(reference))
        }
    }
}
