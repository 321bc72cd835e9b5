import Foundation

/// Calls a block after so many others.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the number. Calls out on: the thread of the last call.
final class Countdown: @unchecked Sendable {
    // @unchecked because the number is guarded by `lock`.
    private let lock = NSLock()
    private var left: Int
    private let last: @Sendable () -> Void

    init(_ count: Int, then last: @escaping @Sendable () -> Void) {
        left = count
        self.last = last
    }

    func one() {
        let isLast = lock.withLock {
            left -= 1
            return left == 0
        }
        if isLast { last() }
    }

    /// Runs a block the first time only.
    func ifFirst(_ body: () -> Void) {
        let isFirst = lock.withLock {
            defer { left = 0 }
            return left > 0
        }
        if isFirst { body() }
    }
}

/// A value from another thread, waited for.
///
/// ## Concurrency
/// Call from: any thread; `give` once. Lock: a semaphore orders the one write before the read.
final class Awaited<Value>: @unchecked Sendable {
    // @unchecked because the semaphore orders the one write before the one read.
    private let isGiven = DispatchSemaphore(value: 0)
    private var value: Value?

    func give(_ value: Value) {
        self.value = value
        isGiven.signal()
    }

    func wait() -> Value? {
        isGiven.wait()
        return value
    }
}
