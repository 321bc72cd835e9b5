package import Foundation
import Locking
import Synchronization

/// The queue that a manager makes. It has limits beyond Foundation's own: by origin, by group, and while there is no
/// network. From the first such limit on, the limiter applies all of them, the width too: Foundation starts each
/// operation whose dependencies have ended, and the operation waits in `start` for its slot. So `operations` and
/// `operationCount`, which cannot be overridden, always contain all operations. Its barriers work with cancelled
/// operations.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: its queue (operations, barriers), not under the
/// lock.
final class ManagerQueue: OperationQueue, @unchecked Sendable {
    // @unchecked because its superclass is; all it adds is under its lock.
    private struct State {
        /// Nil until the first limit; until then Foundation schedules.
        var limiter: OperationLimiter?
        /// The limiter's.
        var width = OperationQueue.defaultMaxConcurrentOperationCount
        var isSuspended = false
        var managers = 0
        /// Those that have not run, in order; each waits for the previous one.
        var barriers: [Barrier] = []
        /// Operations that are being added, and not in Foundation's list yet.
        var entering: [Operation] = []
        /// Of operations of other classes.
        var slotDependencies: [ObjectIdentifier: SlotDependency] = [:]
    }

    private let state = Locked(State())

    override init() {
        super.init()
        underlyingQueue = OperationQueue.starters
    }

    // MARK: Limits

    var existingLimiter: OperationLimiter? { state.withLock { $0.limiter } }

    /// The limiter of this queue, and of every manager that shares it; made at the first use.
    var limiter: OperationLimiter {
        if let limiter = existingLimiter { return limiter }
        let (new, entering) = state.withLock { state in
            if let limiter = state.limiter { return (limiter, [Operation]?.none) }
            state.width = super.maxConcurrentOperationCount
            // No slot is given before the running operations are counted and the waiting ones have requested, in order.
            let new = OperationLimiter(
                width: state.width, stops: state.isSuspended ? [.isNew, .isSuspended] : .isNew)
            state.limiter = new
            return (new, state.entering)
        }
        guard let entering else { return new }
        var seen: Set<ObjectIdentifier> = []
        for operation in operations + entering
        where seen.insert(ObjectIdentifier(operation)).inserted {
            limit(operation, new, QueueMember())
        }
        super.maxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount
        new.setStop(.isNew, false)
        return new
    }

    private func limit(
        _ operation: Operation, _ limiter: OperationLimiter, _ member: QueueMember
    ) {
        switch operation {
        case let operation as any LimitedOperation: operation.join(limiter, member)
        // It takes no time, and must not take the slot of an operation that it waits for.
        case is BatchEnd: break
        default: makeSlotDependency(of: operation, limiter)
        }
    }

    private func makeSlotDependency(of operation: Operation, _ limiter: OperationLimiter) {
        let id = ObjectIdentifier(operation)
        let dependency = SlotDependency(of: operation, limiter) { [weak self] in
            self?.forgetSlotDependency(id)
        }
        let isFirst = state.withLock { state in
            if state.slotDependencies[id] != nil { return false }
            state.slotDependencies[id] = dependency
            return true
        }
        if isFirst { dependency.begin() }
    }

    private func forgetSlotDependency(_ id: ObjectIdentifier) {
        let dependency = state.withLock { $0.slotDependencies.removeValue(forKey: id) }
        withExtendedLifetime(dependency) {}
    }

    override var maxConcurrentOperationCount: Int {
        get {
            state.withLock { $0.limiter == nil ? nil : $0.width }
                ?? super.maxConcurrentOperationCount
        }
        set {
            if setWidth(newValue) { return }
            super.maxConcurrentOperationCount = newValue
            // Meanwhile the limiter may have been made, with the old width.
            if setWidth(newValue) {
                super.maxConcurrentOperationCount =
                    OperationQueue.defaultMaxConcurrentOperationCount
            }
        }
    }

    private func setWidth(_ width: Int) -> Bool {
        let limiter = state.withLock { state in
            if state.limiter != nil { state.width = width }
            return state.limiter
        }
        guard let limiter else { return false }
        // Another thread may set it meanwhile: the latest counts.
        var latest = width
        while true {
            let width = latest
            limiter.setWidth(width)
            latest = state.withLock { $0.width }
            if width == latest { return true }
        }
    }

    /// A manager uses the queue from now on.
    func adopt() {
        let limiter = state.withLock { state in
            state.managers += 1
            return state.managers == 1 ? state.limiter : nil
        }
        limiter?.open()
    }

    /// A manager no longer uses the queue. After the last one, no caller can resume a suspended group.
    func abandon() {
        let limiter = state.withLock { state in
            state.managers -= 1
            return state.managers == 0 ? state.limiter : nil
        }
        limiter?.close()
    }

    // MARK: Adding

    override func addOperation(_ operation: Operation) {
        take([operation], QueueMember()) { super.addOperation(operation) }
    }

    @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
    override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
        take(operations, QueueMember()) {
            super.addOperations(operations, waitUntilFinished: false)
        }
        if wait { for operation in operations { operation.waitUntilFinished() } }
    }

    /// Adds an operation that `take` has prepared. Barriers that were added since wait for it.
    func addKnown(_ operation: Operation) { super.addOperation(operation) }

    func take(_ operation: any LimitedOperation, _ member: QueueMember, _ enter: () -> Void) {
        take([operation], member, enter)
    }

    /// Makes operations wait for the barriers so far, and request their slots; a barrier that is added meanwhile waits
    /// for them.
    private func take(_ operations: [Operation], _ member: QueueMember, _ enter: () -> Void) {
        let (last, limiter) = state.withLock { state in
            state.entering += operations
            return (state.barriers.last, state.limiter)
        }
        if let last {
            last.retain(operations)
            for operation in operations { operation.addDependency(last.end) }
        }
        // Before they can be started, so that they request in the order in which they are added.
        if let limiter { for operation in operations { limit(operation, limiter, member) } }
        enter()
        state.withLock { state in
            for operation in operations {
                if let index = state.entering.lastIndex(where: { $0 === operation }) {
                    state.entering.remove(at: index)
                }
            }
        }
    }

    // MARK: All of them

    /// Barriers are not cancelled: they run when the operations before them have ended.
    override func cancelAllOperations() {
        cancelInOrder()
    }

    @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
    override func waitUntilAllOperationsAreFinished() {
        while true {
            let waiting = operations + state.withLock { $0.barriers.map(\.end) }
            if waiting.isEmpty { return }
            for operation in waiting {
                if !operation.isFinished { NetworkThread.refuseToWait() }
                operation.waitUntilFinished()
            }
        }
    }

    // MARK: Barriers

    /// Adds a barrier of this class's own. Foundation's blocks a thread for ever when a cancelled operation is added
    /// after it. If it, or an operation after it, is cancelled, Foundation uses a dangling pointer.
    override func addBarrierBlock(_ block: @escaping @Sendable () -> Void) {
        let new = Barrier(block, in: self)
        // In one step: operations after a later barrier must not be among the earlier ones. What is added from now on
        // waits for the new one.
        let earlier = state.withLock { state in
            defer { state.barriers.append(new) }
            return operations + state.entering + state.barriers.suffix(1).map(\.end)
        }
        new.wait(for: earlier)
    }

    override var isSuspended: Bool {
        get { super.isSuspended }
        set {
            state.withLock { $0.isSuspended = newValue }
            var latest = newValue
            while true {
                let isSuspended = latest
                if isSuspended { super.isSuspended = true }
                // The limiter first, so that an operation that Foundation starts then finds its slot.
                existingLimiter?.setStop(.isSuspended, isSuspended)
                if !isSuspended { super.isSuspended = false }
                // Another thread may set it meanwhile: the latest counts.
                latest = state.withLock { $0.isSuspended }
                if isSuspended == latest { break }
            }
            if !latest { runBarriers() }
        }
    }

    /// Runs the barriers whose earlier operations have all ended, unless the queue is suspended.
    func runBarriers() {
        // A copy: the thread sanitizer does not see that a shared array is copied before it changes.
        let waiting = state.withLock { super.isSuspended ? [] : $0.barriers.map { $0 } }
        for barrier in waiting where barrier.becomesRunning() { barrier.run(on: underlyingQueue) }
    }

    func remove(_ barrier: Barrier) {
        state.withLock { state in state.barriers.removeAll { $0 === barrier } }
    }
}

extension OperationQueue {
    /// A queue that starts operations even while Dispatch's default pool is busy: only user-interactive blocks share
    /// its threads.
    package static func outsideDefaultPool() -> OperationQueue {
        let queue = OperationQueue()
        // Not the managers': a Foundation barrier would delay their starts.
        queue.underlyingQueue = makeStarters()
        return queue
    }

    /// Cancels the waiting operations first, so that the end of a running one starts none of them. The running ones
    /// follow in order, since libcurl searches a host's connections from the oldest on.
    func cancelInOrder() {
        let operations = operations
        for operation in operations where !operation.isExecuting { operation.cancel() }
        for operation in operations { operation.cancel() }
    }

    static let starters = makeStarters()

    private static func makeStarters() -> DispatchQueue {
        DispatchQueue(
            label: "com.alamofire.networking.operation.start", qos: .userInteractive,
            attributes: .concurrent)
    }
}

/// Runs a block once all earlier operations of a queue have ended; later ones wait for it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: the queue of the operations (the block), not
/// under the lock.
final class Barrier: Sendable {
    private struct State {
        /// Retained until the barrier has ended, with its later barriers.
        var queue: ManagerQueue?
        var phase = Phase.waiting
        var block: (@Sendable () -> Void)?
        /// Waits for the earlier operations.
        var watch: EndWatch?
        /// The operations that depend on `end`: Foundation has unretained pointers to them.
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

    /// Retains operations that will depend on `end`.
    func retain(_ operations: [Operation]) {
        state.withLock { if $0.phase != .ended { $0.behind += operations } }
    }

    /// Waits for the operations, except those that wait for it.
    func wait(for operations: [Operation]) {
        var seen = Set(state.withLock { $0.behind.map(ObjectIdentifier.init) })
        let watch = EndWatch { [weak self] in self?.becomeDue() }
        state.withLock { $0.watch = watch }
        watch.watch(operations.filter { seen.insert(ObjectIdentifier($0)).inserted })
    }

    private func becomeDue() {
        let queue = state.withLock { state in
            state.phase = .due
            return state.queue
        }
        queue?.runBarriers()
    }

    /// - Returns: whether the caller runs it.
    func becomesRunning() -> Bool {
        state.withLock { state in
            guard state.phase == .due else { return false }
            state.phase = .running
            return true
        }
    }

    func run(on dispatchQueue: DispatchQueue?) {
        (dispatchQueue ?? OperationQueue.starters).async { [self] in
            let (block, queue) = state.withLock { ($0.block, $0.queue) }
            HeldLocks.assertNone()
            block?()
            queue?.remove(self)
            end.start()
            let old = state.withLock { state in
                defer {
                    (state.queue, state.block) = (nil, nil)
                    (state.watch, state.behind) = (nil, [])
                }
                state.phase = .ended
                return state
            }
            // Released without the lock.
            withExtendedLifetime(old) {}
        }
    }
}

/// Calls a block once, when all of some operations have ended.
final class EndWatch: DependentObject {
    private let then: @Sendable () -> Void
    private let predecessors = Locked<[Predecessor]>([])
    /// The number that have not ended, and one more until all are known.
    private let left = Atomic(1)

    init(_ then: @escaping @Sendable () -> Void) {
        self.then = then
    }

    deinit { for predecessor in predecessors.withLock({ $0 }) { predecessor.leave() } }

    func watch(_ operations: [Operation]) {
        for operation in operations {
            left.add(1, ordering: .relaxed)
            let predecessor = Predecessor(operation, of: self)
            predecessors.withLock { $0.append(predecessor) }
        }
        countDown()
    }

    func announcing(_ announce: () -> Void) {
        announce()
        countDown()
    }

    private func countDown() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { then() }
    }
}
