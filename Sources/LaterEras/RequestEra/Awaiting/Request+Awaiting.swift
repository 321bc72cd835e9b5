import Foundation
import FoundationNetworking
import OperationNetworking
import Locking
import SessionTasks

// What waits for a request starts it, where its manager and its caller have not.
extension Request {
    /// Resumes a request that was neither resumed nor suspended.
    func resumeUnlessOwned() {
        let isOwned = state.withLock { state in
            // Without a task there is nothing to send twice, and the retrier may be asked.
            state.isWanted || state.isSuspended || state.phase != .open && state.task != nil
        }
        if !isOwned { resume() }
    }

    /// Waits for a handler's result; where the task is cancelled, so is the request if it `cancels`.
    nonisolated(nonsending) func wait<Value>(
        for outcome: SharedOutcome<Value>, cancels: Bool
    ) async throws -> Value {
        try await outcome.value(for: request?.url) {
            resumeUnlessOwned()
        } cancelling: {
            if cancels { self.cancel() }
        }
    }
}
