import Foundation

/// The judgements of the current second, so that many requests on one connection cost one
/// judgement.
///
/// Dates of certificates count whole seconds. So within one second the same certificates, for the
/// same host, under the same requirements and anchors, are always judged alike.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table, never while judging.
final class JudgementMemory: @unchecked Sendable {
    // @unchecked because second and table are only touched under the lock.

    struct Question: Hashable {
        var certificates: [Certificate]
        var requirements: ServerTrustRequirements
        var host: String?
        /// The system's anchors, which differ when the environment names others; nil where the
        /// requirements have anchors of their own.
        var system: ObjectIdentifier?
    }

    static let shared = JudgementMemory()

    private let lock = NSLock()
    private var second = 0
    private var known: [Question: TrustJudgement] = [:]

    private static let limit = 64

    /// The judgement made in this second, or a new one.
    func answer(
        to question: Question, at now: Date = Date(), judging: () -> TrustJudgement
    ) -> TrustJudgement {
        let current = Int(now.timeIntervalSince1970)
        if let known = recall(question, current) { return known }
        let judgement = judging()
        lock.withLock {
            if second == current, known.count < Self.limit {
                known[question] = judgement
            }
        }
        return judgement
    }

    private func recall(_ question: Question, _ current: Int) -> TrustJudgement? {
        lock.withLock {
            if second != current {
                second = current
                known.removeAll()
            }
            return known[question]
        }
    }
}
