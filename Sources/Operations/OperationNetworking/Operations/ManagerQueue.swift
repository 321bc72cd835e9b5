package import Foundation
import Locking

/// The queue that a manager makes. It knows what the gates of its managers hold back, which Foundation's own list
/// does not have, and its barriers go together with cancelled operations.
///
/// `operations` and `operationCount` are Foundation's: nobody can override them.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: its queue (operations, barriers), not under the
/// lock.
final class ManagerQueue: OperationQueue, @unchecked Sendable {
    // @unchecked because it restates the superclass; all it adds is under its lock.
    private struct WeakGate {
        weak var gate: AdmissionGate?
    }

    private struct State {
        /// Those that may hold back what is on its way here.
        var gates: [ObjectIdentifier: WeakGate] = [:]
        /// Those that have not run, in order; each waits for the one before.
        var barriers: [Barrier] = []
        /// What somebody is adding: neither held back nor in Foundation's list yet.
        var entering: [Operation] = []
    }

    private let state = Locked(State())

    override init() {
        super.init()
        underlyingQueue = OperationQueue.starters
    }

    // MARK: Adding

    override func addOperation(_ operation: Operation) {
        take([operation]) { super.addOperation(operation) }
    }

    @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
    override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
        take(operations) { super.addOperations(operations, waitUntilFinished: false) }
        if wait { for operation in operations { operation.waitUntilFinished() } }
    }

    /// Adds one that was taken before, whatever barriers have come since: they wait for it.
    func addKnown(_ operation: Operation) { super.addOperation(operation) }

    /// Puts operations behind the barriers that there are; a barrier that comes meanwhile waits for them.
    func take(_ operations: [Operation], _ enter: () -> Void) {
        let last = state.withLock { state in
            state.entering += operations
            return state.barriers.last
        }
        if let last {
            last.holdBack(operations)
            for operation in operations { operation.addDependency(last.end) }
        }
        enter()
        state.withLock { state in
            for operation in operations {
                if let index = state.entering.lastIndex(where: { $0 === operation }) {
                    state.entering.remove(at: index)
                }
            }
        }
    }

    func note(_ gate: AdmissionGate) {
        state.withLock { state in
            let id = ObjectIdentifier(gate)
            if state.gates[id]?.gate === gate { return }
            state.gates = state.gates.filter { $0.value.gate != nil }
            state.gates[id] = WeakGate(gate: gate)
        }
    }

    // MARK: All of them

    /// What waits or runs, also what is held back. That is asked for first: on its way one is in both.
    private var all: [Operation] {
        let gates = state.withLock { $0.gates.values.compactMap(\.gate) }
        let held = gates.flatMap { $0.heldOperations(of: self) }.map(\.operation)
        let queued = operations
        if held.isEmpty { return queued }
        let there = Set(queued.map(ObjectIdentifier.init))
        return queued + held.filter { !there.contains(ObjectIdentifier($0)) }
    }

    /// Those that wait first, so that the end of a running one starts none of them. Barriers run, behind the ends.
    override func cancelAllOperations() {
        let all = all
        for operation in all where !operation.isExecuting { operation.cancel() }
        for operation in all { operation.cancel() }
    }

    @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
    override func waitUntilAllOperationsAreFinished() {
        while true {
            let waiting = all + state.withLock { $0.barriers.map(\.end) }
            if waiting.isEmpty { return }
            for operation in waiting {
                if !operation.isFinished { NetworkThread.refuseToWait() }
                operation.waitUntilFinished()
            }
        }
    }

    // MARK: Barriers

    /// A barrier of this class's own. Foundation's stops a thread for ever when a cancelled operation is added behind
    /// it, and is followed as a pointer after it is gone where it, or what waits behind it, is cancelled.
    override func addBarrierBlock(_ block: @escaping @Sendable () -> Void) {
        let new = Barrier(block, in: self)
        let (earlier, entering) = state.withLock { state in
            defer { state.barriers.append(new) }
            return (state.barriers.last, state.entering)
        }
        // What is added from now on waits for it, and is told apart by that.
        let last = earlier.map { [$0.end] } ?? []
        new.wait(for: all + entering + last)
    }

    override var isSuspended: Bool {
        get { super.isSuspended }
        set {
            super.isSuspended = newValue
            if !newValue { runBarriers() }
        }
    }

    /// Runs the barriers for which all before them have ended, unless the queue is suspended.
    fileprivate func runBarriers() {
        let due = state.withLock { state in
            super.isSuspended ? [] : state.barriers.filter { $0.takesItsTurn() }
        }
        for barrier in due { barrier.run(on: underlyingQueue) }
    }

    fileprivate func remove(_ barrier: Barrier) {
        state.withLock { state in state.barriers.removeAll { $0 === barrier } }
    }
}

extension OperationQueue {
    /// A queue that starts operations even while serializers, completion blocks and other code of
    /// the program occupy Dispatch's default pool: only user-interactive blocks share its threads.
    package static func outsideDefaultPool() -> OperationQueue {
        let queue = OperationQueue()
        // Not the one of the managers: a barrier of Foundation's would hold up their starts.
        queue.underlyingQueue = makeStarters()
        return queue
    }

    static let starters = makeStarters()

    private static func makeStarters() -> DispatchQueue {
        DispatchQueue(
            label: "com.alamofire.networking.operation.start", qos: .userInteractive,
            attributes: .concurrent)
    }
}

/// Runs a block once all that was in a queue has ended; what was added since waits for it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: the queue of the operations (the block), not
/// under the lock.
private final class Barrier: DependentObject {
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
