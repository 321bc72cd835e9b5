import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import SessionTasks

// A request begins before its caller has called `authenticate`, and a near server may answer before
// that.
extension Request {
    /// How long a challenge waits for a credential, in seconds.
    private static let patience: TimeInterval = 0.25

    /// Finds the credential for a first challenge. While the request has neither one nor a handler,
    /// its caller may still be about to call `authenticate`: that is waited for, a quarter of a
    /// second at most.
    ///
    /// - Parameter use: called once: here, by `authenticate`, with the first handler, at a cancel,
    ///   or on the delegate queue after the wait.
    func findCredential(_ use: @escaping @Sendable (URLCredential?) -> Void) {
        let (waits, credential) = state.withLock { state in
            let waits = state.credential == nil && state.handlers == 0 && !state.isCancelled
            if waits { state.challenges.append(use) }
            return (waits, state.credential)
        }
        guard waits else { return use(credential) }
        taskSession.options.current.clock.wakeUp(after: Self.patience) { [weak self] in
            // Not on the clock's thread, which must not wait.
            guard let self else { return }
            taskSession.delegateQueue.addOperation { self.answerChallenges() }
        }
    }

    func answerChallenges() {
        let (challenges, credential) = state.withLock { state in
            defer { state.challenges = [] }
            return (state.challenges, state.credential)
        }
        for answer in challenges { answer(credential) }
    }
}
