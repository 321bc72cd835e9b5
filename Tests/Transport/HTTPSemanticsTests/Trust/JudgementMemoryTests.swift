import TLSPeer
import TestSupport

@testable import HTTPSemantics

@Suite("The judgements of a second", .timeLimit(.minutes(5)))
struct JudgementMemoryTests {
    private let cast: Cast

    init() throws {
        cast = try Cast()
    }

    private func question(
        _ leaf: Identity, host: String? = "localhost",
        _ change: (inout ServerTrustRequirements) -> Void = { _ in }
    ) -> JudgementMemory.Question {
        var requirements = ServerTrustRequirements()
        change(&requirements)
        return JudgementMemory.Question(
            certificates: [leaf.certificate], requirements: requirements, host: host)
    }

    @Test func `one question is judged once a second`() {
        let memory = JudgementMemory()
        let judgement = TrustJudgement(
            of: cast.trust(cast.good), by: ServerTrustRequirements(), host: nil)
        var judged = 0
        for moment in [1_000.0, 1_000.9, 1_001.0, 1_001.5, 1_003, 1_002] {
            _ = memory.answer(
                to: question(cast.good), at: Date(timeIntervalSince1970: moment)
            ) {
                judged += 1
                return judgement
            }
        }
        #expect(judged == 4)
    }

    @Test func `whatever differs is another question`() {
        let memory = JudgementMemory()
        let judgement = TrustJudgement(
            of: cast.trust(cast.good), by: ServerTrustRequirements(), host: nil)
        let root = cast.root.certificate
        var elsewhere = question(cast.good)
        elsewhere.system = ObjectIdentifier(TrustAnchors([root]))
        let questions = [
            question(cast.good), question(cast.middle), question(cast.good, host: "b"),
            question(cast.good, host: nil), question(cast.good) { $0.verifiesHost = false },
            question(cast.good) { $0.anchors = [root] }, question(cast.good) { $0.pins = [root] },
            elsewhere,
        ]
        var judged = 0
        for question in questions + questions {
            _ = memory.answer(to: question, at: Date(timeIntervalSince1970: 1)) {
                judged += 1
                return judgement
            }
        }
        #expect(judged == questions.count)
    }
}
