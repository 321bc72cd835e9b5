import Foundation
import Locking

/// Runs a block once all that was in a queue has ended; what was added since waits for it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: the queue of the operations (the block), not
/// under the lock.
final class Barrier: DependentObject {
    private struct State {
        /// Until it has ended: the queue owns the barriers behind this one.
        var queue: ManagerQueue?
        var phase = Phase.waiting
        var block: (@Sendable () -> Void)?
        /// Between it and those that it waits for.
        var predecessors: [Predecessor] = []
        /// How many of those have not ended, and one more until all are known.
        var left = 1
        /// What depends on `end`, which Foundation keeps as bare pointers, and follows at the end.
        var behind: [Operation] = []
    }

    private enum Phase {
        case waiting, due, running, ended
    }

    /// Ends when the block has run. It is in no queue.
    let end = BlockOperation()
    private let state: Locked<State>

    init(_ block: @escaping @Sendable () -> Void, in queue: ManagerQueue) {
        state = Locked(State(queue: queue, block: block))
    }

    /// Keeps what is to depend on its end.
    func holdBack(_ operations: [Operation]) {
        state.withLock { if $0.phase != .ended { $0.behind += operations } }
    }

    /// Waits for all but those that wait for it.
    func wait(for operations: [Operation]) {
        var seen = Set(state.withLock { $0.behind.map(ObjectIdentifier.init) })
        for operation in operations where seen.insert(ObjectIdentifier(operation)).inserted {
            state.withLock { $0.left += 1 }
            let predecessor = Predecessor(operation, of: self)
            state.withLock { $0.predecessors.append(predecessor) }
        }
        goOn()
    }

    /// One that it waits for has ended.
    func announcing(_ announce: () -> Void) {
        announce()
        goOn()
    }

    private func goOn() {
        let (isDue, queue) = state.withLock { state in
            state.left -= 1
            if state.left == 0 { state.phase = .due }
            return (state.left == 0, state.queue)
        }
        guard isDue else { return }
        if let queue {
            queue.runBarriers()
        } else if takesItsTurn() {
            run(on: nil)
        }
    }

    /// Whether the caller is to run it.
    func takesItsTurn() -> Bool {
        state.withLock { state in
            guard state.phase == .due else { return false }
            state.phase = .running
            return true
        }
    }

    func run(on dispatchQueue: DispatchQueue?) {
        (dispatchQueue ?? OperationQueue.starters).async { [self] in
            let (block, queue) = state.withLock { ($0.block, $0.queue) }
            block?()
            queue?.remove(self)
            end.start()
            let old = state.withLock { state in
                defer {
                    (state.queue, state.block) = (nil, nil)
                    (state.predecessors, state.behind) = ([], [])
                }
                state.phase = .ended
                return state
            }
            // What they hold goes after the lock.
            withExtendedLifetime(old) {}
        }
    }
}
