import Foundation

/// A value under a lock; `Mutex` would do, but the thread sanitizer does not see it lock.
final class LifeLock<Value>: @unchecked Sendable {
    // @unchecked because the value is touched under `lock` alone.
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
