public import CurlConnection
import EventRecorder
public import Foundation
public import HTTPSemantics
import Locking

/// Runs operations under concurrency limits.
///
/// Adding is linear in the number of operations, also of a batch. Only operations with dependencies are slow in
/// Foundation's queue, about half a millisecond each once thousands wait: enqueue such an operation when its
/// dependencies have finished.
///
/// ## Concurrency
/// Call from: any thread. Lock: one each around the queue, the limiter and the options. Calls out on: nothing.
open class OperationManager: NSObject, @unchecked Sendable {
    // @unchecked because an open class cannot be checked; all it has is constant.
    private let queue: Locked<OperationQueue>
    /// Made by the first limit for a queue that has none of its own.
    private let ownLimiter = Locked<OperationLimiter?>(nil)
    let resultOrder = Locked(ResultOrder())
    /// For limiters that several managers share.
    let number = EventRecorder.nextNumber()

    /// Makes a manager with a queue of its own and Foundation's default limit.
    public override init() {
        let own = ManagerQueue()
        queue = Locked(own)
        super.init()
        own.addManager()
    }

    deinit {
        existingLimiter?.forget(number)
        ownLimiter.withLock { $0 }?.close()
        (operationQueue as? ManagerQueue)?.removeManager()
    }

    /// The queue that operations are added to; settable, so that managers can share its limits.
    ///
    /// The initial queue's `operations`, `operationCount`, `isSuspended`, `maxConcurrentOperationCount`,
    /// `cancelAllOperations()`, `waitUntilAllOperationsAreFinished()` and `addBarrierBlock` count what waits for a
    /// limit by origin or group like everything else. A barrier block of it runs after a `cancelAllOperations()` too.
    /// In a queue of another class, an operation that waits for such a limit counts in the queue's
    /// `maxConcurrentOperationCount`. Foundation's own barriers block a thread for ever, or crash, where an operation
    /// before or after them is cancelled.
    ///
    /// The initial queue starts operations in a pool of threads of its own. Another queue uses Dispatch's default pool,
    /// where blocks that wait delay starts, unless its `underlyingQueue` is set.
    public var operationQueue: OperationQueue {
        get { queue.withLock { $0 } }
        set {
            var queue = newValue
            (newValue as? ManagerQueue)?.addManager()
            let (old, wasOffline) = (existingLimiter, isOffline)
            // The old one is released without the lock.
            self.queue.withLock { swap(&$0, &queue) }
            // Its operations that wait for a network try.
            if old !== existingLimiter { old?.forget(number) }
            if wasOffline { isOffline = true }
            (queue as? ManagerQueue)?.removeManager()
        }
    }

    /// How many operations may run at once; a change applies to those that wait.
    public var maxConcurrentOperationCount: Int {
        get { operationQueue.maxConcurrentOperationCount }
        set { operationQueue.maxConcurrentOperationCount = newValue }
    }

    /// Whether waiting operations are not started; running ones continue.
    public var isSuspended: Bool {
        get { operationQueue.isSuspended }
        set { operationQueue.isSuspended = newValue }
    }

    /// The operations that wait or run, in the order in which they were enqueued.
    public var operations: [Operation] { operationQueue.operations }

    /// Blocks the caller's thread until nothing waits or runs.
    ///
    /// On a network thread, which would wait for its own work, it stops the process unless there is nothing to wait
    /// for. Use completion blocks there.
    public func waitUntilAllOperationsAreFinished() {
        while let operation = operations.last {
            if !operation.isFinished { NetworkThread.refuseToWait() }
            operation.waitUntilFinished()
        }
        operationQueue.waitUntilAllOperationsAreFinished()
    }

    /// Adds an operation; the queue starts it when it is ready and the limits allow it.
    ///
    /// An operation that a manager has enqueued before, that was started or has finished is ignored. An operation that
    /// was added to an `OperationQueue` directly stops the process, as in Foundation.
    open func enqueue(_ operation: URLConnectionOperation) {
        enqueue(operation, group: nil)
    }

    /// Adds an operation of a group of the caller's; see `setMaxConcurrentOperationCount(_:ofGroup:)`.
    public func enqueue(_ operation: URLConnectionOperation, group: String?) {
        let queue = operationQueue
        operation.addOnce(
            to: queue, limiter: limiter(of: queue, for: group),
            QueueMember(group: group, manager: number), resultOrder.withLock { $0 })
    }

    /// The limiter for an operation in a queue without one of its own; made for an operation of a group, which may get
    /// a limit later.
    func limiter(of queue: OperationQueue, for group: String?) -> OperationLimiter? {
        let limiter = group == nil ? existingLimiter : limiter
        return queue is ManagerQueue ? nil : limiter
    }

    /// The queue's limiter; the manager's own where the queue has none.
    var limiter: OperationLimiter {
        if let queue = operationQueue as? ManagerQueue { return queue.limiter }
        return ownLimiter.withLock { limiter in
            if let limiter { return limiter }
            let new = OperationLimiter()
            limiter = new
            return new
        }
    }

    var existingLimiter: OperationLimiter? {
        guard let queue = operationQueue as? ManagerQueue else {
            return ownLimiter.withLock { $0 }
        }
        return queue.existingLimiter
    }

    /// Adds operations with progress and one completion after all of their callbacks.
    ///
    /// - Parameters:
    ///   - progress: called once for each operation with the number of finished operations and of
    ///     all.
    ///   - completion: called on main, once, also for an empty batch.
    open func enqueue(
        batch operations: [URLConnectionOperation],
        progress: (@Sendable (Int, Int) -> Void)?,
        completion: (@Sendable ([URLConnectionOperation]) -> Void)?
    ) {
        let wrapped = URLConnectionOperation.batch(
            of: operations, progress: progress, completion: completion)
        for case let operation as URLConnectionOperation in wrapped {
            enqueue(operation)
        }
        wrapped.last.map(operationQueue.addOperation)
    }

    /// Gives an operation the present settings; this class has none.
    var preparation: @Sendable (URLConnectionOperation) -> Void { { _ in } }

    /// Whether connections go to a socket of this machine; this class has no such setting.
    var isOverSocket: Bool { false }

    /// Where a download's blocks run; nil is the main queue.
    var callbackQueue: DispatchQueue? { nil }

    /// Cancels every operation that waits or runs; each ends with `URLError.cancelled`.
    open func cancelAllOperations() {
        operationQueue.cancelWaitingFirst()
    }
}

// Limits beyond the queue's own. They belong to the initial `operationQueue` of a manager, and so to all managers that
// share it; in a queue of another class they are the manager's.
extension OperationManager {
    /// How many operations may run at once to one scheme, host and port; nil, the default, is no limit.
    public var maximumOperationsPerOrigin: Int? {
        get { existingLimiter?.originLimit }
        set { limiter.originLimit = newValue }
    }

    /// How many operations of a group may run at once; nil is no limit.
    public func maxConcurrentOperationCount(ofGroup group: String) -> Int? {
        existingLimiter?.limit(ofGroup: group)
    }

    /// Sets how many operations of a group may run at once.
    ///
    /// - Parameters:
    ///   - count: 1 or more; nil is no limit.
    ///   - group: what `enqueue(_:group:)` names.
    public func setMaxConcurrentOperationCount(_ count: Int?, ofGroup group: String) {
        limiter.setLimit(count, ofGroup: group)
    }

    /// Whether waiting operations of a group are not started.
    public func isSuspended(group: String) -> Bool {
        existingLimiter?.isSuspended(group) ?? false
    }

    /// Suspends or resumes the start of a group's waiting operations; running ones continue.
    public func setSuspended(_ isSuspended: Bool, group: String) {
        limiter.setSuspended(isSuspended, group)
    }

    /// Seconds after which a waiting operation counts as one of the next higher priority; 5 by default.
    ///
    /// In the highest priority the oldest operation is first: after four such intervals an operation of the lowest
    /// priority has started, or waits only for older ones. Since a slot is not free at once, an operation rises sooner
    /// by twice the time that slots were in use lately, and at most by one interval.
    public var priorityAgeingInterval: TimeInterval {
        get { existingLimiter?.ageing ?? 5 }
        set { limiter.ageing = newValue }
    }

    /// Whether this manager's operations to other machines are not started, as while there is no network; see
    /// `HTTPRequestOperationManager.holdsWhileOffline`. It counts for operations that are enqueued after a first limit
    /// was set.
    public var isOffline: Bool {
        get { existingLimiter?.isOffline(number) ?? false }
        set { (newValue ? limiter : existingLimiter)?.setOffline(newValue, number) }
    }

    /// The clock for ageing; the system's at first.
    public var clock: NetworkClock {
        get { existingLimiter?.clock ?? .system }
        set { limiter.clock = newValue }
    }
}

// Two orders that the original does not have. Both count for operations that are enqueued later.
extension OperationManager {
    /// Whether completion blocks, success and failure come in the order in which their operations ended;
    /// false at first.
    ///
    /// With a `maxConcurrentOperationCount` of 1 that is the order in which the operations started. If it is false,
    /// callbacks may come in another order, because bodies are parsed in parallel. If it is true, a manager's
    /// serializers work one after another. It orders operations with the same `networkThread` and the same serial
    /// `completionQueue`, or main.
    public var completesInOrder: Bool {
        get { resultOrder.withLock { $0.queue != nil } }
        set {
            resultOrder.withLock { order in
                guard newValue != (order.queue != nil) else { return }
                order.queue = newValue ? ResultOrder.makeQueue() : nil
            }
        }
    }

    /// Whether an operation finishes once its response was serialized, so that one that depends on it
    /// finds `responseObject`, and the serializer's `error`; false at first.
    ///
    /// If it is false, an operation finishes when its response is complete, and a dependent one that reads the object
    /// waits while it is made. If it is true, `error` is complete when the dependent one starts, and the operation
    /// counts in the limits until then. A cancel ends it without waiting for the serializer. Success and failure are
    /// called later than both.
    public var finishesAfterSerialization: Bool {
        get { resultOrder.withLock { $0.isObjectFirst } }
        set { resultOrder.withLock { $0.isObjectFirst = newValue } }
    }
}

/// One operation of a manager's, and why it does not run.
public struct QueuedOperation {
    /// Why an operation waits.
    public enum Reason: Sendable, Hashable {
        /// The number of its dependencies that have not ended.
        case dependencies(Int)
        /// The manager is suspended.
        case suspended
        case paused
        case offline
        /// Its group is suspended.
        case groupSuspended(String)
        /// Its group's limit is reached.
        case groupLimit(String)
        /// The limit for its scheme, host and port is reached.
        case originLimit
        /// `maxConcurrentOperationCount` is reached.
        case width(Int)
        /// It was started, and waits for a connection or for its next try.
        case load(LoadWait)
    }

    /// The operation.
    public let operation: Operation
    /// Why it waits; nil where it runs, or is about to.
    public let reason: Reason?
}

extension OperationManager {
    /// The operations that wait or run, in the queue's order, each with the reason why it waits.
    ///
    /// The operations are read one after another, without a lock around all.
    public func snapshot() -> [QueuedOperation] {
        let (isSuspended, width) = (isSuspended, maxConcurrentOperationCount)
        return operations.compactMap { operation in
            if operation.isFinished { return nil }
            return QueuedOperation(
                operation: operation, reason: Self.reason(operation, isSuspended, width))
        }
    }

    /// Nil where the operation does not wait.
    package func reason(of operation: Operation) -> QueuedOperation.Reason? {
        operation.isFinished
            ? nil : Self.reason(operation, isSuspended, maxConcurrentOperationCount)
    }

    private static func reason(
        _ operation: Operation, _ isSuspended: Bool, _ width: Int
    ) -> QueuedOperation.Reason? {
        if operation.isExecuting {
            let wait = (operation as? any LimitedOperation)?.loadWait
            return wait.map { .load($0) } ?? limitReason(operation)
        }
        if (operation as? URLConnectionOperation)?.isPaused == true { return .paused }
        let awaited = operation.dependencies.count { !$0.isFinished }
        if awaited > 0, !operation.isCancelled { return .dependencies(awaited) }
        if isSuspended { return .suspended }
        // A queue without a limit of its own starts it at once.
        return limitReason(operation) ?? (width < 0 ? nil : .width(width))
    }

    /// Why an operation has no slot; nil where it has one, or waits for the width.
    private static func limitReason(_ operation: Operation) -> QueuedOperation.Reason? {
        guard let admission = (operation as? any LimitedOperation)?.currentAdmission,
            let hold = admission.limiter.hold(admission)
        else { return nil }
        return switch hold {
        case .offline: .offline
        case .groupSuspended: .groupSuspended(admission.needs.group ?? "")
        case .groupLimit: .groupLimit(admission.needs.group ?? "")
        case .originLimit: .originLimit
        case .width: nil
        }
    }
}
