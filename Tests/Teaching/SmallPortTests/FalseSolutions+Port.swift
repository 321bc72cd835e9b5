@testable import Lessons
@testable import Solution19
import TestSupport

extension FalseSolution {
    /// Of the last exercise: each is content with one stage less, or forgets something in a stage.
    static let port = [
        FalseSolution(19, "no lock", refusedBy: "Stage 2 of 4. State 6, the lock: two threads") {
            .of(port: WithoutLock.self)
        },
        FalseSolution(19, "reads under the lock", refusedBy: "reading must not need the lock") {
            .of(port: ReadsUnderLock.self)
        },
        FalseSolution(19, "no cancel", refusedBy: "nothing closed it later") {
            .of(port: WithoutCancel.self)
        },
        FalseSolution(19, "the result wins", refusedBy: "completed with the body `A`") {
            .of(port: ResultWins.self)
        },
        FalseSolution(19, "on the network thread", refusedBy: "Stage 4 of 4. State 8") {
            .of(port: CompletesHere.self)
        },
        FalseSolution(19, "under the lock", refusedBy: "runs while the lock is held") {
            .of(port: CompletesUnderLock.self)
        },
    ]
}

private final class WithoutLock: Solution19.Exercise, @unchecked Sendable {
    override func withLock<Result>(_ body: () -> Result) -> Result { body() }
}

private final class ReadsUnderLock: Solution19.Exercise, @unchecked Sendable {
    override var isFinished: Bool { withLock { super.isFinished } }
}

private final class WithoutCancel: Solution19.Exercise, @unchecked Sendable {
    override func abort() {}
}

private final class ResultWins: Solution19.Exercise, @unchecked Sendable {
    override func result(_ body: String) -> String? { body }
}

private final class CompletesHere: Solution19.Exercise, @unchecked Sendable {
    override func complete(_ result: String?) { completion(result) }
}

/// On its queue, but with the lock held: another thread's `cancel` waits for the block.
private final class CompletesUnderLock: Solution19.Exercise, @unchecked Sendable {
    override func complete(_ result: String?) {
        completionQueue.async { self.withLock { self.completion(result) } }
    }
}
