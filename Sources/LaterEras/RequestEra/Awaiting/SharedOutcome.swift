import Foundation
import Locking
import OperationNetworking

/// A result that any number of tasks wait for.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: as `Awaited`.
final class SharedOutcome<Value: Sendable>: Sendable {
    private enum State {
        case open([Awaited<Value>])
        case known(Value)
    }

    private let state = Locked(State.open([]))

    /// Gives the result, once.
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
