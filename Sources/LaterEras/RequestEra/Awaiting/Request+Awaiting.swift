import Foundation
import FoundationNetworking
import Locking
import OperationNetworking

// Code that waits for a request starts it, where its manager and its caller have not.
extension Request {
    /// Resumes a request that was neither resumed nor suspended.
    func resumeUnlessOwned() {
        let isOwned = state.withLock { state in
            // Without a task nothing is sent twice, and the retrier may be asked.
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

/// A result that any number of tasks wait for.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: as `Awaited`.
struct SharedOutcome<Value: Sendable>: Sendable {
    private enum State {
        case open([Awaited<Value>])
        case known(Value)
    }

    private let state = Locked(State.open([]))

    func give(_ value: Value) {
        let waiting = state.withLock { state -> [Awaited<Value>] in
            guard case .open(let waiting) = state else { return [] }
            state = .known(value)
            return waiting
        }
        for awaited in waiting { awaited.give(.success(value)) }
    }

    /// Waits for the result; see `Awaited.value`.
    nonisolated(nonsending) func value(
        for url: URL?, starting start: () -> Void, cancelling cancel: @escaping @Sendable () -> Void
    ) async throws -> Value {
        let awaited = Awaited<Value>()
        let known = state.withLock { state -> Value? in
            switch state {
            case .known(let value): return value
            case .open(let waiting):
                state = .open(waiting + [awaited])
                return nil
            }
        }
        if let known { awaited.give(.success(known)) }
        return try await awaited.value(for: url, starting: start, cancelling: cancel)
    }
}
