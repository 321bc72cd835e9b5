import Locking

/// A value that blocks of several threads may change.
///
/// ## Concurrency
/// Call from: any thread. Lock: its own. Calls out on: the caller's thread, under the lock.
final class Latest<Value: Sendable>: Sendable {
    private let guarded: Locked<Value>

    init(_ value: Value) {
        guarded = Locked(value)
    }

    var value: Value {
        get { guarded.withLock { $0 } }
        set { guarded.withLock { $0 = newValue } }
    }

    /// - Returns: the value after the change.
    @discardableResult
    func change(_ change: @Sendable (inout Value) -> Void) -> Value {
        guarded.withLock { value in
            change(&value)
            return value
        }
    }
}
