import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import SessionTasks

// A request begins before its caller has called `authenticate`, and a server that is near is faster.
extension Request {
    /// How long a challenge waits for a credential, in seconds.
    private static let patience: TimeInterval = 0.25

    /// Gives the credential for a first challenge. While the request has neither one nor a handler, so that its
    /// caller may still be about to call `authenticate`, that is waited for, a quarter of a second at most.
    ///
    /// - Parameter use: called once, here or by who ends the wait: the thread that calls `authenticate`, adds the
    ///   first handler or cancels, or one of the clock's.
    func findCredential(_ use: @escaping @Sendable (URLCredential?) -> Void) {
        let (waits, credential) = state.withLock { state in
            let waits = state.credential == nil && state.handlers == 0 && !state.isCancelled
            if waits { state.challenges.append(use) }
            return (waits, state.credential)
        }
        guard waits else { return use(credential) }
        taskSession.clock.wakeUp(after: Self.patience) { [weak self] in
            // Not on the clock's thread, which must not wait.
            guard let self else { return }
            taskSession.delegateQueue.addOperation { self.answerChallenges() }
        }
    }

    /// Ends the wait of challenges for a credential.
    func answerChallenges() {
        let (challenges, credential) = state.withLock { state in
            defer { state.challenges = [] }
            return (state.challenges, state.credential)
        }
        for answer in challenges { answer(credential) }
    }
}
