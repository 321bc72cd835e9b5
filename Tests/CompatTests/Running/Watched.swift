import Foundation
import Testing

/// A value that many threads change and a test waits for.
///
/// ## Concurrency
/// Call from: any thread. Lock: its own. Calls out on: the caller's thread, with the lock held.
final class Watched<Value>: @unchecked Sendable {
    // @unchecked because both variables are only touched under the lock.
    private struct Waiter {
        let number: Int
        let holds: (Value) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// Seconds that bound a test that fails; nothing waits for it otherwise.
    static var patience: TimeInterval { 20 }

    private let lock = NSLock()
    private var value: Value
    private var waiters: [Waiter] = []
    private var nextNumber = 0

    init(_ value: Value) {
        self.value = value
    }

    var now: Value { lock.withLock { value } }

    func change<Result>(_ change: (inout Value) -> Result) -> Result {
        let (result, due) = lock.withLock {
            let result = change(&value)
            let due = waiters.filter { $0.holds(value) }
            waiters.removeAll { waiter in due.contains { $0.number == waiter.number } }
            return (result, due)
        }
        due.forEach { $0.continuation.resume(returning: true) }
        return result
    }

    /// Waits until the condition holds; an issue when that does not happen.
    @discardableResult
    func wait(
        until what: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ holds: @escaping @Sendable (Value) -> Bool
    ) async -> Bool {
        let isThere = await withCheckedContinuation { add(holds, $0) }
        if !isThere { Issue.record("Waited in vain for \(what).", sourceLocation: sourceLocation) }
        return isThere
    }

    private func add(
        _ holds: @escaping (Value) -> Bool, _ continuation: CheckedContinuation<Bool, Never>
    ) {
        let number: Int? = lock.withLock {
            if holds(value) { return nil }
            nextNumber += 1
            waiters.append(Waiter(number: nextNumber, holds: holds, continuation: continuation))
            return nextNumber
        }
        guard let number else { return continuation.resume(returning: true) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            self?.giveUp(number)
        }
    }

    private func giveUp(_ number: Int) {
        let late = lock.withLock {
            defer { waiters.removeAll { $0.number == number } }
            return waiters.first { $0.number == number }
        }
        late?.continuation.resume(returning: false)
    }
}
