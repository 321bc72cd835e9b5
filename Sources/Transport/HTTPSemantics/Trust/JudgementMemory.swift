import Foundation
import Locking

/// Caches judgements for the current second, so that many requests on one connection need one.
///
/// Certificate dates count whole seconds, so within one second the same certificates, host,
/// requirements and anchors are always judged alike.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table, never while judging.
final class JudgementMemory: Sendable {
    struct Question: Hashable {
        var certificates: [Certificate]
        var requirements: ServerTrustRequirements
        var host: String?
        /// The system's anchors, which differ where the environment names others; nil where the
        /// requirements have their own.
        var system: ObjectIdentifier?
    }

    static let shared = JudgementMemory()

    private struct Table {
        var second = 0
        var known: [Question: TrustJudgement] = [:]
    }

    private let table = Locked(Table())
    private static let limit = 64

    func answer(
        to question: Question, at now: Date = Date(), judging: () -> TrustJudgement
    ) -> TrustJudgement {
        let current = Int(now.timeIntervalSince1970)
        if let known = recall(question, current) { return known }
        let judgement = judging()
        table.withLock {
            if $0.second == current, $0.known.count < Self.limit {
                $0.known[question] = judgement
            }
        }
        return judgement
    }

    private func recall(_ question: Question, _ current: Int) -> TrustJudgement? {
        table.withLock {
            if $0.second != current { $0 = Table(second: current) }
            return $0.known[question]
        }
    }
}
