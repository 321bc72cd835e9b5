import CurlConnection
import Foundation
import FoundationNetworking
import Locking

// The end of a session, which keeps itself until it is invalid and no task is left.
extension TaskSession {
    /// Makes no more tasks, and is invalid when those there are have ended (UM-16).
    package func finishTasksAndInvalidate() {
        state.withLock { $0.isInvalid = true }
        endIfIdle()
    }

    /// Cancels its tasks and makes no more.
    package func invalidateAndCancel() {
        state.withLock { state in
            state.isInvalid = true
            state.isCancelled = true
        }
        // The newest first: else a connection that becomes free goes to a task that is cancelled next.
        for task in tasks.reversed() { task.cancel() }
        endIfIdle()
    }

    /// Whether its tasks were cancelled. The maker of a task that is not listed yet must cancel it.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The number of another load; nil when the session is invalid.
    func nextLoad() -> Int? {
        state.withLock { state in
            if state.isInvalid { return nil }
            state.loads += 1
            state.lastIdentifier += 1
            return state.lastIdentifier
        }
    }

    /// A task has ended.
    func loadDidEnd() {
        state.withLock { $0.loads -= 1 }
        endIfIdle()
    }

    private func endIfIdle() {
        let isEnd = state.withLock { state in
            guard state.isInvalid, state.loads == 0, state.own != nil else { return false }
            state.own = nil
            return true
        }
        guard isEnd else { return }
        events.append(
            .last {
                self.deliverInvalidity()
                self.shown.end()
            })
    }
}
