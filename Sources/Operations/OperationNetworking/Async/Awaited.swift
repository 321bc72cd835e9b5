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
    private struct State {
        var result: Swift.Result<Value, any Error>?
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    /// Gives the result; does nothing where there is one.
    package func give(_ result: Swift.Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.waiting.take()
        }
        waiting?.resume()
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
            try await self.value(starting: start)
        } onCancel: {
            give(.failure(URLError(.cancelled, url: url)))
            cancel()
        }
        if Task.isCancelled { throw URLError(.cancelled, url: url) }
        return value
    }

    /// Waits for the result, also where the task is cancelled meanwhile. Only one task may.
    ///
    /// The result is taken under the lock, not handed over by the continuation (Decisions/0006).
    nonisolated(nonsending) package func value(starting start: () -> Void) async throws -> Value {
        while true {
            if let result = state.withLock({ $0.result }) { return try result.get() }
            await withCheckedContinuation { continuation in
                if waits(continuation) { start() } else { continuation.resume() }
            }
        }
    }

    private func waits(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            if state.result == nil { state.waiting = continuation }
            return state.result == nil
        }
    }
}
