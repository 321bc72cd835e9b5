import Testing

@testable import eras

@Suite("What a comparison comes to", .timeLimit(.minutes(1)))
struct JudgementTests {
    private let equal = Change(name: "", sentence: "It moved.", source: "")
    private let different = Change(
        name: "", sentence: "It moved.", source: "",
        differences: [
            .init(outcome: "b", connection: "1", session: "2"),
            .init(outcome: "a", connection: "x", session: "-"),
        ])

    private func judge(
        _ connection: [Outcome], _ session: [Outcome], _ change: Change
    ) -> Judgement {
        Judgement(connection: connection, session: session, change: change)
    }

    @Test func `the same outcomes in another order are equal`() {
        let judgement = judge(
            [Outcome("a", "1"), Outcome("b", "2")], [Outcome("b", "2"), Outcome("a", "1")], equal)
        #expect(judgement == Judgement(.equal, ""))
    }

    @Test func `exactly the declared differences are different, with their sentence`() {
        let judgement = judge(
            [Outcome("a", "x"), Outcome("b", "1"), Outcome("c", "3")],
            [Outcome("c", "3"), Outcome("b", "2")], different)
        #expect(judgement == Judgement(.different, "It moved."))
    }

    @Test func `a difference that was not declared fails and is named`() {
        let judgement = judge([Outcome("a", "1")], [Outcome("a", "2")], equal)
        #expect(judgement == Judgement(.failed, "a: 1 (connection), 2 (session)"))
    }

    @Test func `a declared difference that is not seen, or has another value, fails`() {
        let partly = judge(
            [Outcome("a", "x"), Outcome("b", "1")], [Outcome("b", "1")], different)
        #expect(
            partly
                == Judgement(
                    .failed, "declared, but not seen: b: 1 (connection), 2 (session)"))
        let other = judge(
            [Outcome("a", "x"), Outcome("b", "1")], [Outcome("b", "3")], different)
        #expect(other.verdict == .failed)
        #expect(other.difference.hasPrefix("b: 1 (connection), 3 (session); declared"))
    }

    @Test func `an outcome that comes twice is not one that came once`() {
        let judgement = judge([Outcome("a", "1")], [Outcome("a", "1"), Outcome("a", "1")], equal)
        #expect(judgement == Judgement(.failed, "a: 1 (connection), 1, then 1 (session)"))
    }

    @Test func `two runs without an outcome are no agreement`() {
        #expect(judge([], [], equal).verdict == .failed)
    }

    @Test func `the first run that failed decides, and says which it was`() {
        let good = EraRun(outcomes: [Outcome("a", "1")])
        let bad = EraRun(outcomes: [Outcome("a", "2")])
        let broken = EraRun(failure: "it broke")
        func judgement(_ connection: [EraRun], _ session: [EraRun]) -> Judgement {
            ComparedScenario(
                TenJSONGets(), runs: [.connection: connection, .session: session]
            ).judgement
        }
        #expect(judgement([good, good], [good, good]) == Judgement(.equal, ""))
        #expect(
            judgement([good, good, good], [good, bad, good])
                == Judgement(.failed, "run 2 of 3: a: 1 (connection), 2 (session)"))
        #expect(judgement([broken], [good]) == Judgement(.failed, "connection era: it broke"))
        #expect(judgement([], []).verdict == .failed)
    }
}
