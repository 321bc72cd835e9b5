/// Seconds that bound a test that fails; nothing waits for them otherwise.
package let patience = 60.0

/// A value that many threads change and a test waits for.
///
/// ## Concurrency
/// Call from: any thread. Lock: its own. Calls out on: the caller's thread, with the lock held.
package final class Watched<Value>: @unchecked Sendable {
    // @unchecked because all three variables are only touched under the condition's lock.
    private struct Waiter {
        let number: Int
        let holds: (Value) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let condition = NSCondition()
    private var value: Value
    private var waiters: [Waiter] = []
    private var nextNumber = 0

    package init(_ value: Value) {
        self.value = value
    }

    package var now: Value { condition.withLock { value } }

    package func change<Result>(_ change: (inout Value) -> Result) -> Result {
        let (result, due) = condition.withLock {
            let result = change(&value)
            let due = waiters.filter { $0.holds(value) }
            if !due.isEmpty {
                waiters.removeAll { waiter in due.contains { $0.number == waiter.number } }
            }
            condition.broadcast()
            return (result, due)
        }
        due.forEach { $0.continuation.resume(returning: true) }
        return result
    }

    /// Waits until the condition holds; an issue when that does not happen.
    @discardableResult
    package func wait(
        until what: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ holds: @escaping @Sendable (Value) -> Bool
    ) async -> Bool {
        let holdsNow = await reaches(holds)
        if !holdsNow { Issue.record("Waited in vain for \(what).", sourceLocation: sourceLocation) }
        return holdsNow
    }

    /// Waits until the condition holds; false when that does not happen in time.
    package func reaches(
        within seconds: Double = patience, _ holds: @escaping @Sendable (Value) -> Bool
    ) async -> Bool {
        await withCheckedContinuation { add(seconds, holds, $0) }
    }

    /// The same for a test on a thread of its own, which it blocks.
    package func blockUntil(_ holds: (Value) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: patience)
        return condition.withLock {
            while !holds(value) {
                guard condition.wait(until: deadline) else { return holds(value) }
            }
            return true
        }
    }

    private func add(
        _ seconds: Double, _ holds: @escaping (Value) -> Bool,
        _ continuation: CheckedContinuation<Bool, Never>
    ) {
        let number: Int? = condition.withLock {
            if holds(value) { return nil }
            nextNumber += 1
            waiters.append(Waiter(number: nextNumber, holds: holds, continuation: continuation))
            return nextNumber
        }
        guard let number else { return continuation.resume(returning: true) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
            self?.giveUp(number)
        }
    }

    private func giveUp(_ number: Int) {
        let late = condition.withLock {
            defer { waiters.removeAll { $0.number == number } }
            return waiters.first { $0.number == number }
        }
        late?.continuation.resume(returning: false)
    }
}

/// Waits for what nothing signals; false when it does not happen.
package func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ holds: () -> Bool
) async -> Bool {
    let limit = Date(timeIntervalSinceNow: patience)
    while Date() < limit {
        // Not looked at again: it may not hold any longer.
        if holds() { return true }
        await Task.yield()
    }
    return holds()
}
