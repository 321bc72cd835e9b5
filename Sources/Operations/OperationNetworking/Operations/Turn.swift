import Foundation
import Locking
import Scheduling

/// The place of an operation of another class in a queue with limits: it cannot wait for that in its `start`. So it
/// depends on `end`, which ends when its place is given. The turn waits for all that the operation waits for, or it
/// could keep the place of one of those.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: the thread on which what is waited for ends, or the
/// limiter's queue (its operation becomes ready), not under the lock.
final class Turn: DependentObject {
    private struct State {
        /// Kept until its end: `end` has a bare pointer to it.
        var operation: Operation?
        /// Between it and those that its operation waits for.
        var predecessors: [Predecessor] = []
        /// How many of those have not ended, and one more until all are known.
        var left = 1
        var watch: EndWatch?
        var isOpen = false
    }

    /// It is in no queue.
    let end = BlockOperation()
    private let admission: Admission
    private let state: Locked<State>
    private let forget: @Sendable () -> Void

    /// - Parameter forget: called at the operation's end.
    init(
        of operation: Operation, _ limiter: OperationLimiter,
        _ forget: @escaping @Sendable () -> Void
    ) {
        self.forget = forget
        state = Locked(State(operation: operation))
        let announced = Locked<(@Sendable () -> Void)?>(nil)
        admission = Admission(limiter, Admission.Needs(), TransferPriority(of: operation)) {
            announced.withLock { $0 }?()
        }
        announced.withLock { $0 = { [weak self] in self?.open() } }
    }

    deinit {
        for predecessor in state.withLock({ $0.predecessors }) { predecessor.leave() }
        admission.leave()
    }

    /// Has its operation wait; takes a place for one that runs already.
    func begin() {
        guard let operation = state.withLock({ $0.operation }) else { return }
        let isRunning = operation.isExecuting
        if isRunning {
            admission.begin()
        } else {
            for awaited in operation.dependencies {
                state.withLock { $0.left += 1 }
                let predecessor = Predecessor(awaited, of: self)
                state.withLock { $0.predecessors.append(predecessor) }
            }
            operation.addDependency(end)
        }
        let watch = EndWatch(operation) { [weak self] in self?.leave() }
        state.withLock { if $0.operation != nil { $0.watch = watch } }
        if operation.isFinished { return leave() }
        if !isRunning { goOn() }
    }

    /// One that its operation waits for has ended.
    func announcing(_ announce: () -> Void) {
        announce()
        goOn()
    }

    private func goOn() {
        let isLast = state.withLock { state in
            state.left -= 1
            return state.left == 0
        }
        if isLast, admission.ask() { open() }
    }

    private func open() {
        let operation = state.withLock { state in
            defer { state.isOpen = true }
            return state.isOpen ? nil : state.operation
        }
        guard let operation, admission.mayStart else { return }
        admission.begin()
        end.start()
        withExtendedLifetime(operation) {}
    }

    /// Its operation has ended, perhaps cancelled and without its place.
    private func leave() {
        let old = state.withLock { state in
            defer { state = State(left: state.left, isOpen: true) }
            return state
        }
        guard let operation = old.operation else { return }
        admission.leave()
        operation.removeDependency(end)
        for predecessor in old.predecessors { predecessor.leave() }
        forget()
    }
}

/// Says when an operation has ended.
private final class EndWatch: DependentObject {
    private let then: @Sendable () -> Void
    private let predecessor = Locked<Predecessor?>(nil)

    init(_ operation: Operation, _ then: @escaping @Sendable () -> Void) {
        self.then = then
        let new = Predecessor(operation, of: self)
        predecessor.withLock { $0 = new }
    }

    deinit { predecessor.withLock { $0 }?.leave() }

    func announcing(_ announce: () -> Void) {
        announce()
        then()
    }
}
