import Foundation

/// A value and the lock that guards it.
///
/// It is not `Synchronization.Mutex`: the thread sanitizer does not see how that waits, and reports
/// races where there are none (Documentation/Decisions/0006).
///
/// ## Concurrency
/// Call from: any thread. Lock: its own, not recursive. Calls out on: the caller's closure, under
/// it.
final class Locked<Value>: @unchecked Sendable {
    // @unchecked because the value is only touched under the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
