package import Foundation
import HTTPSemantics
import Locking

/// A result that one task waits for; the first that is given counts, and a cancellation is one.
///
/// Every continuation is resumed exactly once, in whatever order the start, the cancellation and the
/// result come.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the thread of the task (what
/// starts), the thread that cancels it (what is cancelled); not under the lock.
package final class Awaited<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case known(Swift.Result<Value, any Error>)
    }

    private let state = Locked(State.open)

    package init() {}

    /// Gives the result; does nothing where there is one.
    package func give(_ result: Swift.Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .open:
                state = .known(result)
                return nil
            case .awaited(let continuation):
                state = .known(result)
                return continuation
            case .known: return nil
            }
        }
        continuation?.resume(with: result)
    }

    /// Waits for the result. Only one task may.
    ///
    /// - Parameters:
    ///   - url: of the request, for the error of a cancellation.
    ///   - start: called once, unless the task was cancelled before.
    ///   - cancel: called where the task is cancelled; the wait ends without it.
    /// - Throws: `URLError.cancelled` where the task is cancelled, also after a result was given;
    ///   otherwise the error that was given.
    nonisolated(nonsending) package func value(
        for url: URL?, starting start: () -> Void = {},
        cancelling cancel: @escaping @Sendable () -> Void
    ) async throws -> Value {
        let value = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let known = wait(continuation) {
                    continuation.resume(with: known)
                } else {
                    start()
                }
            }
        } onCancel: {
            give(.failure(URLError(.cancelled, url: url)))
            cancel()
        }
        if Task.isCancelled { throw URLError(.cancelled, url: url) }
        return value
    }

    /// Resumes a continuation with the result, also one that comes later. Only one can wait.
    package func resume(_ continuation: CheckedContinuation<Value, any Error>) {
        if let known = wait(continuation) { continuation.resume(with: known) }
    }

    /// - Returns: the result, where it is there; the continuation is not kept then.
    private func wait(
        _ continuation: CheckedContinuation<Value, any Error>
    ) -> Swift.Result<Value, any Error>? {
        state.withLock { state in
            if case .known(let result) = state { return result }
            state = .awaited(continuation)
            return nil
        }
    }
}
