import Dispatch
import Foundation

/// Collects events from every thread in one order, and wakes who waits for one.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around `state`. Calls out on: nothing; waiters are resumed
/// outside it.
final class Recorder: @unchecked Sendable {
    // @unchecked because the one variable is guarded by `lock`.
    typealias Condition = @Sendable ([Event]) -> Bool

    private struct Waiter {
        let condition: Condition
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var events: [Event] = []
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let lock = NSLock()
    private var state = State()

    var events: [Event] { lock.withLock { state.events } }

    /// Adds an event with the name of this thread.
    func record(_ operation: String?, _ what: String) {
        let event = Event(operation: operation, what: what, thread: ThreadName.current)
        let woken = lock.withLock {
            state.events.append(event)
            let ready = state.waiters.filter { $0.value.condition(state.events) }
            ready.keys.forEach { state.waiters[$0] = nil }
            return ready.values.map(\.continuation)
        }
        woken.forEach { $0.resume(returning: true) }
    }

    /// Waits until the condition holds for the events so far; false after `seconds`.
    func wait(seconds: Double, _ condition: @escaping Condition) async -> Bool {
        await withCheckedContinuation { continuation in
            let number: Int? = lock.withLock {
                guard !condition(state.events) else { return nil }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = Waiter(
                    condition: condition, continuation: continuation)
                return state.nextWaiter
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
                let late = lock.withLock { state.waiters.removeValue(forKey: number) }
                late?.continuation.resume(returning: false)
            }
        }
    }
}
