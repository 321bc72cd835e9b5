package import Foundation
import Locking
import Synchronization

/// The queue that an `OperationManager` makes for itself; other managers can be set to use it too.
///
/// Besides `maxConcurrentOperationCount` it can limit how many operations run for one origin (scheme, host and port)
/// or for one group, which is a name that the caller gave in `enqueue`. It can also suspend a group, or start nothing
/// while there is no network. From the first such setting on, an `OperationLimiter` applies all of these limits, and
/// `maxConcurrentOperationCount` itself: an operation may load only while it has a slot of the limiter.
///
/// Foundation's own queue then has no limit, and starts an operation when its dependencies have finished:
/// - A `LimitedOperation`, such as a `URLConnectionOperation`, returns from `start`, and loads when it has its slot.
/// - An operation of another class, except `BatchEnd`, has a dependency, a `SlotDependency`, until it gets its slot.
///
/// So `operations` and `operationCount`, which a subclass cannot override, also have the operations that wait for a
/// slot. They do not have the barriers, which also run if an operation before or after them is cancelled.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: its `underlyingQueue` (operations, barrier blocks)
/// and the caller's thread (`cancel()`), not under the lock.
final class ManagerQueue: OperationQueue, @unchecked Sendable {
    // @unchecked because its superclass is; all that this class adds is under its lock.
    private struct State {
        /// Nil until the first limit; until then Foundation's queue schedules alone.
        var limiter: OperationLimiter?
        /// The `maxConcurrentOperationCount` that the limiter applies; unused while there is no limiter.
        var width = OperationQueue.defaultMaxConcurrentOperationCount
        var isSuspended = false
        /// How many managers use the queue.
        var managers = 0
        /// The barriers that have not run, in order; each waits for the previous one.
        var barriers: [Barrier] = []
        /// Operations that are being added and may not be in `operations` yet.
        var beingAdded: [Operation] = []
        /// The dependencies of operations that are no `LimitedOperation`, by the operation's identity.
        var slotDependencies: [ObjectIdentifier: SlotDependency] = [:]
    }

    private let state = Locked(State())

    override init() {
        super.init()
        underlyingQueue = OperationQueue.starters
    }

    // MARK: Limits

    var existingLimiter: OperationLimiter? { state.withLock { $0.limiter } }

    /// The limiter of this queue, and so of every manager that uses it; made at the first use.
    var limiter: OperationLimiter {
        if let limiter = existingLimiter { return limiter }
        let (new, beingAdded) = state.withLock { state in
            if let limiter = state.limiter { return (limiter, [Operation]?.none) }
            state.width = super.maxConcurrentOperationCount
            // `isNew` stops the limiter until two things are done: it knows which operations run, and the waiting ones
            // have requested their slots in the order in which they were added.
            let new = OperationLimiter(
                width: state.width, stops: state.isSuspended ? [.isNew, .isSuspended] : .isNew)
            state.limiter = new
            return (new, state.beingAdded)
        }
        guard let beingAdded else { return new }
        var seen: Set<ObjectIdentifier> = []
        for operation in operations + beingAdded
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
        // It does no work. With a slot of its own it could keep an operation that it depends on from getting one.
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
            // The limiter may have been made meanwhile, with the old value.
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
        passOnLatest(state.withLock { $0.width }) { limiter.setWidth($0) }
        return true
    }

    /// Counts a manager that uses the queue from now on.
    func addManager() {
        let limiter = state.withLock { state in
            state.managers += 1
            return state.managers == 1 ? state.limiter : nil
        }
        limiter?.open()
    }

    /// Counts a manager off. Without managers no caller can resume a suspended group, so the limiter then cancels the
    /// group's waiting operations.
    func removeManager() {
        let limiter = state.withLock { state in
            state.managers -= 1
            return state.managers == 0 ? state.limiter : nil
        }
        limiter?.close()
    }

    // MARK: Adding

    override func addOperation(_ operation: Operation) {
        prepare([operation], QueueMember()) { super.addOperation(operation) }
    }

    @available(*, noasync, message: "Use addBarrierBlock or a dependent Operation instead")
    override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
        prepare(operations, QueueMember()) {
            super.addOperations(operations, waitUntilFinished: false)
        }
        if wait { for operation in operations { operation.waitUntilFinished() } }
    }

    /// Adds an operation that `prepare` has prepared; called in its block `add`.
    func addWithoutPreparing(_ operation: Operation) { super.addOperation(operation) }

    func prepare(_ operation: any LimitedOperation, _ member: QueueMember, _ add: () -> Void) {
        prepare([operation], member, add)
    }

    /// Makes operations depend on the last barrier and request their slots, and then calls `add`, which adds them.
    ///
    /// A barrier that another thread adds after the beginning of this call waits for these operations.
    private func prepare(_ operations: [Operation], _ member: QueueMember, _ add: () -> Void) {
        let (last, limiter) = state.withLock { state in
            state.beingAdded += operations
            return (state.barriers.last, state.limiter)
        }
        if let last {
            last.retain(operations)
            for operation in operations { operation.addDependency(last.end) }
        }
        // Before Foundation can start them on several threads, so that they request slots in the order of adding.
        if let limiter { for operation in operations { limit(operation, limiter, member) } }
        add()
        state.withLock { state in
            for operation in operations {
                if let index = state.beingAdded.lastIndex(where: { $0 === operation }) {
                    state.beingAdded.remove(at: index)
                }
            }
        }
    }

    // MARK: All operations

    /// Cancels the operations. Barriers are not cancelled: they run when the operations before them have finished.
    override func cancelAllOperations() {
        cancelWaitingFirst()
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

    /// Adds a `Barrier`, not a barrier of Foundation on Linux. That one blocks a thread for ever if a cancelled
    /// operation is added after it. If it or an operation after it is cancelled, Foundation uses a dangling pointer.
    override func addBarrierBlock(_ block: @escaping @Sendable () -> Void) {
        let new = Barrier(block, in: self)
        // Under one lock: between the two steps another thread could add a barrier and then an operation. If this
        // barrier read first, it would miss both; if it were appended first, it would wait for them, and they for it.
        let earlier = state.withLock { state in
            defer { state.barriers.append(new) }
            return operations + state.beingAdded + state.barriers.suffix(1).map(\.end)
        }
        new.becomeDue(after: earlier)
    }

    override var isSuspended: Bool {
        get { super.isSuspended }
        set {
            state.withLock { $0.isSuspended = newValue }
            let isNowSuspended = passOnLatest(state.withLock { $0.isSuspended }) { isSuspended in
                if isSuspended { super.isSuspended = true }
                // The limiter resumes before Foundation's queue, so that an operation which that queue then starts can
                // have its slot already.
                existingLimiter?.setStop(.isSuspended, isSuspended)
                if !isSuspended { super.isSuspended = false }
            }
            if !isNowSuspended { runBarriers() }
        }
    }

    /// Runs the barriers whose earlier operations have all finished, unless the queue is suspended.
    func runBarriers() {
        // `map` copies the array. If it were shared, the thread sanitizer would report a race that does not exist.
        let waiting = state.withLock { super.isSuspended ? [] : $0.barriers.map { $0 } }
        for barrier in waiting where barrier.claim() { barrier.run(on: underlyingQueue) }
    }

    func remove(_ barrier: Barrier) {
        state.withLock { state in state.barriers.removeAll { $0 === barrier } }
    }
}

extension OperationQueue {
    /// A queue whose operations start even while all threads of Dispatch's default pool are busy: it shares its threads
    /// with user-interactive blocks alone.
    package static func outsideDefaultPool() -> OperationQueue {
        let queue = OperationQueue()
        // Not `starters`: a barrier block of this queue would be a Dispatch barrier there, and delay the managers'
        // queues.
        queue.underlyingQueue = makeStarters()
        return queue
    }

    /// Cancels the waiting operations first, so that the end of a running one starts none of them.
    ///
    /// The running ones follow, oldest first. If cancelling one closes its connection, libcurl searches the host's
    /// connections from the oldest on. In this order the first one it looks at is the one to close.
    func cancelWaitingFirst() {
        let operations = operations
        for operation in operations where !operation.isExecuting { operation.cancel() }
        for operation in operations { operation.cancel() }
    }

    /// Where the managers' queues start operations and run barrier blocks.
    static let starters = makeStarters()

    private static func makeStarters() -> DispatchQueue {
        DispatchQueue(
            label: "com.alamofire.networking.operation.start", qos: .userInteractive,
            attributes: .concurrent)
    }
}

/// A barrier block of a `ManagerQueue`: it runs when all earlier operations have finished, and later ones wait for it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its state. Calls out on: the queue's `underlyingQueue` (the block), not
/// under the lock.
final class Barrier: Sendable {
    private struct State {
        /// Retains the queue, and so its later barriers, until this one has run.
        var queue: ManagerQueue?
        var phase = Phase.waiting
        var block: (@Sendable () -> Void)?
        /// Calls `becomeDue()` when the earlier operations have finished.
        var watch: EndWatch?
        /// The operations that depend on `end`. Retained, since Foundation has unretained pointers to them.
        var later: [Operation] = []
    }

    /// Due: the earlier operations have finished, and it runs as soon as the queue is not suspended.
    private enum Phase {
        case waiting, due, running, ended
    }

    /// The dependency of the later operations; it finishes when the block has run. It is in no queue.
    let end = BlockOperation()
    private let state: Locked<State>

    init(_ block: @escaping @Sendable () -> Void, in queue: ManagerQueue) {
        state = Locked(State(queue: queue, block: block))
    }

    /// Retains operations that will depend on `end`.
    func retain(_ operations: [Operation]) {
        state.withLock { if $0.phase != .ended { $0.later += operations } }
    }

    /// Makes the barrier due when these operations have finished, those excepted that depend on it. Returns at once.
    func becomeDue(after operations: [Operation]) {
        var seen = Set(state.withLock { $0.later.map(ObjectIdentifier.init) })
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

    /// Lets one caller alone run a barrier that is due.
    ///
    /// - Returns: whether it is this caller.
    func claim() -> Bool {
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
                    (state.watch, state.later) = (nil, [])
                }
                state.phase = .ended
                return state
            }
            // Released without the lock.
            withExtendedLifetime(old) {}
        }
    }
}

/// Calls a block a single time, when all operations of a list have finished.
final class EndWatch: DependentObject {
    private let then: @Sendable () -> Void
    private let predecessors = Locked<[Predecessor]>([])
    /// The number of operations that have not finished, and one more until `watch` has the whole list.
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

    /// Called when one of the operations has finished; `announce` notifies Foundation of that.
    func announcing(_ announce: () -> Void) {
        announce()
        countDown()
    }

    private func countDown() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { then() }
    }
}
