package import Foundation
import HTTPSemantics
import Locking

/// A result that one task waits for. The first one counts; a cancellation is a result too.
///
/// The continuation is resumed exactly once, in whatever order start, cancellation and result come.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the task's thread (`start`), the
/// thread that cancels the task (`cancel`); not under the lock.
package final class Awaited<Value: Sendable>: Sendable {
    private struct State {
        var result: Swift.Result<Value, any Error>?
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    /// Sets the result, unless there is one.
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
    ///   - cancel: called when the task is cancelled; the wait does not depend on it.
    /// - Throws: `URLError.cancelled` if the task is cancelled, even after the result; otherwise the
    ///   error of the result.
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

    /// Waits for the result, even if the task is cancelled meanwhile. Only one task may.
    ///
    /// The continuation only wakes the task, which then reads the result under the lock
    /// (Decisions/0006).
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

/// A value that is not `Sendable`, on its way to the one task or handler that uses it.
package struct Handed<Value>: @unchecked Sendable {
    // @unchecked because its maker keeps no reference to the value.
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
