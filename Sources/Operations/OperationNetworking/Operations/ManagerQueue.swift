package import Foundation
import Locking

/// The queue that a manager makes. It has limits beyond Foundation's own: by origin, by group, while there is no
/// network. With the first of them all are decided here, the width too: Foundation starts whatever waits for no
/// other, and the operations wait for their places in `start`. So `operations` and `operationCount`, which nobody can
/// override, have all of them all the time. Its barriers go together with cancelled operations.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its lists. Calls out on: its queue (operations, barriers), not under the
/// lock.
final class ManagerQueue: OperationQueue, @unchecked Sendable {
    // @unchecked because it restates the superclass; all it adds is under its lock.
    private struct State {
        /// Nil until the first limit: then Foundation schedules as it does.
        var limiter: OperationLimiter?
        /// Of the limiter.
        var width = OperationQueue.defaultMaxConcurrentOperationCount
        /// As it was set last.
        var isSuspended = false
        var managers = 0
        /// Those that have not run, in order; each waits for the one before.
        var barriers: [Barrier] = []
        /// What somebody is adding: not in Foundation's list yet.
        var entering: [Operation] = []
        /// Of operations of other classes.
        var turns: [ObjectIdentifier: Turn] = [:]
    }

    private let state = Locked(State())

    override init() {
        super.init()
        underlyingQueue = OperationQueue.starters
    }

    // MARK: Limits

    var existingLimiter: OperationLimiter? { state.withLock { $0.limiter } }

    /// The limits of this queue, of every manager that shares it.
    var limiter: OperationLimiter {
        if let limiter = existingLimiter { return limiter }
        let (new, entering) = state.withLock { state in
            if let limiter = state.limiter { return (limiter, [Operation]?.none) }
            state.width = super.maxConcurrentOperationCount
            // Nobody gets a place before those that run are counted, and those that wait have asked in order.
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
        // It takes no time, and nothing may wait for it that it waits for.
        case is BatchEnd: break
        default: makeTurn(of: operation, limiter)
        }
    }

    private func makeTurn(of operation: Operation, _ limiter: OperationLimiter) {
        let id = ObjectIdentifier(operation)
        let turn = Turn(of: operation, limiter) { [weak self] in self?.forgetTurn(id) }
        let isFirst = state.withLock { state in
            if state.turns[id] != nil { return false }
            state.turns[id] = turn
            return true
        }
        if isFirst { turn.begin() }
    }

    private func forgetTurn(_ id: ObjectIdentifier) {
        let turn = state.withLock { $0.turns.removeValue(forKey: id) }
        withExtendedLifetime(turn) {}
    }

    override var maxConcurrentOperationCount: Int {
        get {
            state.withLock { $0.limiter == nil ? nil : $0.width }
                ?? super.maxConcurrentOperationCount
        }
        set {
            if setWidth(newValue) { return }
            super.maxConcurrentOperationCount = newValue
            // The limiter may have come meanwhile, with the old one.
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

    /// A manager has it from now on.
    func adopt() {
        let limiter = state.withLock { state in
            state.managers += 1
            return state.managers == 1 ? state.limiter : nil
        }
        limiter?.open()
    }

    /// A manager has it no longer. After the last nobody lets a suspended group go on.
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

    /// Adds one that was taken before, whatever barriers have come since: they wait for it.
    func addKnown(_ operation: Operation) { super.addOperation(operation) }

    func take(_ operation: any LimitedOperation, _ member: QueueMember, _ enter: () -> Void) {
        take([operation], member, enter)
    }

    /// Puts operations behind the barriers that there are, and has them ask for their places; a barrier that comes
    /// meanwhile waits for them.
    private func take(_ operations: [Operation], _ member: QueueMember, _ enter: () -> Void) {
        let (last, limiter) = state.withLock { state in
            state.entering += operations
            return (state.barriers.last, state.limiter)
        }
        if let last {
            last.holdBack(operations)
            for operation in operations { operation.addDependency(last.end) }
        }
        // Before they can be started, so that they have their places in the order in which they come.
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

    /// Those that wait first, so that the end of a running one starts none of them. Barriers run, behind the ends.
    override func cancelAllOperations() {
        let all = operations
        for operation in all where !operation.isExecuting { operation.cancel() }
        for operation in all { operation.cancel() }
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

    /// A barrier of this class's own. Foundation's stops a thread for ever when a cancelled operation is added behind
    /// it, and is followed as a pointer after it is gone where it, or what waits behind it, is cancelled.
    override func addBarrierBlock(_ block: @escaping @Sendable () -> Void) {
        let new = Barrier(block, in: self)
        // At once: what comes behind a later barrier must not be among them. What is added from now on waits for it.
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
                // Places first, so that what is started then finds its own.
                existingLimiter?.setStop(.isSuspended, isSuspended)
                if !isSuspended { super.isSuspended = false }
                // Another thread may set it meanwhile: the latest counts.
                latest = state.withLock { $0.isSuspended }
                if isSuspended == latest { break }
            }
            if !latest { runBarriers() }
        }
    }

    /// Runs the barriers for which all before them have ended, unless the queue is suspended.
    func runBarriers() {
        let due = state.withLock { state in
            super.isSuspended ? [] : state.barriers.filter { $0.takesItsTurn() }
        }
        for barrier in due { barrier.run(on: underlyingQueue) }
    }

    func remove(_ barrier: Barrier) {
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
