import Foundation
import Locking
import Scheduling
import Synchronization

/// An object that depends on operations through `Predecessor`s.
protocol DependentObject: AnyObject, Sendable {
    /// Calls a block that announces to Foundation that a predecessor has ended.
    func announcing(_ announce: () -> Void)
}

/// A dependency of its owner that ends when another operation, the awaited one, has ended.
///
/// Foundation on Linux has unretained pointers to the dependents of an operation, and uses them at its end. Here it has
/// a pointer to this object, which removes itself before its owner is released.
///
/// It stays among the owner's dependencies in Foundation after `leave`. If it had ended and the owner was cancelled,
/// removing it would make Foundation's count of dependencies -1, and the owner would never be ready again.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the awaited operation. Calls out on: the thread that reads `isReady`, to the
/// owner, without the lock.
final class Predecessor: Operation, @unchecked Sendable {
    // @unchecked because its superclass is; what it adds guards itself, is atomic, or is a weak
    // reference that is written in `init` alone.
    private let reference: Locked<Operation?>
    private weak var owner: (any DependentObject)?
    private let hasEnded = Atomic<Bool>(false)

    init(_ awaited: Operation, of owner: any DependentObject) {
        reference = Locked(awaited)
        self.owner = owner
        super.init()
        addDependency(awaited)
    }

    /// Nil after `leave`.
    var awaited: Operation? { reference.withLock { $0 } }

    override var isFinished: Bool { hasEnded.load(ordering: .acquiring) }

    /// Foundation reads it when the awaited operation has ended; then this ends too.
    override var isReady: Bool {
        guard super.isReady else { return false }
        end()
        return true
    }

    /// The owner no longer depends on the awaited operation, or is released.
    func leave() {
        guard let awaited = reference.withLock({ $0.take() }) else { return }
        cancel()
        removeDependency(awaited)
    }

    private func end() {
        guard let owner, !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        owner.announcing { didChangeValue(forKey: "isFinished") }
    }
}

extension [Operation] {
    /// With the awaited operations in place of their predecessors.
    var awaited: [Operation] {
        compactMap { operation in
            guard let predecessor = operation as? Predecessor else { return operation }
            return predecessor.awaited
        }
    }

    /// The predecessors for an awaited operation, or all.
    func predecessors(of awaited: Operation? = nil) -> [Predecessor] {
        compactMap { operation in
            guard let predecessor = operation as? Predecessor else { return nil }
            return awaited == nil || predecessor.awaited === awaited ? predecessor : nil
        }
    }

    func leavePredecessors(of awaited: Operation? = nil) {
        for predecessor in predecessors(of: awaited) { predecessor.leave() }
    }
}

/// The slot of an operation of another class in a queue with limits, which runs as soon as Foundation's queue starts it.
/// It depends on `end`, which ends when it gets the slot. The slot is requested when its other dependencies have ended,
/// since one of them may need it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: the thread on which a dependency ends, or the
/// limiter's queue (its operation becomes ready), not under the lock.
final class SlotDependency: Sendable {
    private struct State {
        /// Retained until its end: Foundation has an unretained pointer to it in `end`.
        var operation: Operation?
        /// For its end, and for those of its dependencies.
        var watches: [EndWatch] = []
        var isOpen = false
    }

    /// In no queue.
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

    deinit { admission.leave() }

    /// Makes its operation wait; takes a slot for one that runs already.
    func begin() {
        guard let operation = state.withLock({ $0.operation }) else { return }
        let isRunning = operation.isExecuting
        let awaited = operation.dependencies
        if isRunning { admission.begin() } else { operation.addDependency(end) }
        let itsEnd = EndWatch { [weak self] in self?.leave() }
        let others = EndWatch { [weak self] in self?.ask() }
        state.withLock { if $0.operation != nil { $0.watches = [itsEnd, others] } }
        itsEnd.watch([operation])
        if operation.isFinished { return leave() }
        if !isRunning { others.watch(awaited) }
    }

    private func ask() {
        if admission.ask() { open() }
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

    /// Its operation has ended, perhaps cancelled and without a slot.
    private func leave() {
        let old = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state
        }
        guard let operation = old.operation else { return }
        admission.leave()
        operation.removeDependency(end)
        forget()
    }
}
