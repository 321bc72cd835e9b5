import EventRecorder
public import Foundation
import Locking

/// Runs operations under concurrency limits.
///
/// Adding is linear in the number of operations, because nothing is used that is quadratic in
/// Foundation's queue: no barriers of its, no priority changes. A batch adds one operation that waits, at
/// its end. Adding many operations that each depend on another is still slow there (about half a
/// millisecond each once thousands wait): enqueue an operation when those it depends on have
/// finished.
///
/// ## Concurrency
/// Call from: any thread. Lock: one each around the reference to the queue, its limits and the options; the queue has its own. Calls
/// out on: nothing; operations do.
open class OperationManager: NSObject, @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has is constant.
    private let queue: Locked<OperationQueue>
    /// Made by the first limit for a queue that has none of its own.
    private let ownLimiter = Locked<OperationLimiter?>(nil)
    let resultOrder = Locked(ResultOrder())
    /// Who it is, for limiters that several managers share.
    let number = EventRecorder.nextNumber()

    /// Makes a manager with a queue of its own and Foundation's default limit.
    public override init() {
        let own = ManagerQueue()
        queue = Locked(own)
        super.init()
        own.adopt()
    }

    deinit {
        existingLimiter?.forget(number)
        ownLimiter.withLock { $0 }?.close()
        (operationQueue as? ManagerQueue)?.abandon()
    }

    /// The queue that operations are added to; settable, so that managers can share its limits.
    ///
    /// The initial queue's `operations`, `operationCount`, `isSuspended`, `maxConcurrentOperationCount`,
    /// `cancelAllOperations()`, `waitUntilAllOperationsAreFinished()` and `addBarrierBlock` count what waits for a
    /// limit by origin or group like everything else. A barrier block of it runs after a `cancelAllOperations()` too.
    /// In a queue of another class what waits for such a limit is started, and keeps a place of the queue's
    /// `maxConcurrentOperationCount` while it waits; and Foundation's own barriers stop a thread for ever, or the process,
    /// where an operation before or behind them is cancelled.
    ///
    /// The initial queue starts operations in a pool of threads of its own. Another queue uses
    /// Dispatch's default pool, where blocks that wait keep operations from starting, unless its
    /// `underlyingQueue` is set.
    public var operationQueue: OperationQueue {
        get { queue.withLock { $0 } }
        set {
            var queue = newValue
            (newValue as? ManagerQueue)?.adopt()
            let (old, wasOffline) = (existingLimiter, isOffline)
            // The old one goes after the lock, with what it holds.
            self.queue.withLock { swap(&$0, &queue) }
            // What waits there for a network tries.
            if old !== existingLimiter { old?.forget(number) }
            if wasOffline { isOffline = true }
            (queue as? ManagerQueue)?.abandon()
        }
    }

    /// How many operations may run at once; a change applies to those that wait.
    public var maxConcurrentOperationCount: Int {
        get { operationQueue.maxConcurrentOperationCount }
        set { operationQueue.maxConcurrentOperationCount = newValue }
    }

    /// Whether waiting operations are held back; running ones go on.
    public var isSuspended: Bool {
        get { operationQueue.isSuspended }
        set { operationQueue.isSuspended = newValue }
    }

    /// The operations that wait or run, in the order in which they were enqueued.
    public var operations: [Operation] { operationQueue.operations }

    /// Blocks the caller's thread until nothing waits or runs.
    ///
    /// On a network thread, which has to do the work that is waited for, it stops the process, unless there is
    /// nothing to wait for. Use completion blocks there.
    public func waitUntilAllOperationsAreFinished() {
        while let operation = operations.last {
            if !operation.isFinished { NetworkThread.refuseToWait() }
            operation.waitUntilFinished()
        }
        operationQueue.waitUntilAllOperationsAreFinished()
    }

    /// Adds an operation; the queue starts it when it is ready and the limit allows it.
    ///
    /// An operation that a manager has enqueued before, that was started or has finished is
    /// ignored. An operation that was added to an `OperationQueue` itself stops the process, as in
    /// Foundation.
    open func enqueue(_ operation: URLConnectionOperation) {
        enqueue(operation, group: nil)
    }

    /// Adds an operation of a group of the caller's; see `setMaxConcurrentOperationCount(_:ofGroup:)`.
    public func enqueue(_ operation: URLConnectionOperation, group: String?) {
        let queue = operationQueue
        operation.enter(
            queue, limiter: limiter(of: queue, for: group),
            QueueMember(group: group, manager: number), resultOrder.withLock { $0 })
    }

    /// For an operation of a group, which has to wait where the group gets a limit later.
    ///
    /// - Returns: nil for a queue with limits of its own, or where there are none.
    func limiter(of queue: OperationQueue, for group: String?) -> OperationLimiter? {
        let limiter = group == nil ? existingLimiter : limiter
        return queue is ManagerQueue ? nil : limiter
    }

    /// The limits of the queue; its own where the queue has none.
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

    /// Gives an operation the manager's settings as they are now; this class has none.
    var preparation: @Sendable (URLConnectionOperation) -> Void { { _ in } }

    /// Whether connections go to a socket of this machine; this class has no such setting.
    var isOverSocket: Bool { false }

    /// Where a download's blocks run; nil is the main queue.
    var callbackQueue: DispatchQueue? { nil }

    /// Cancels every operation that waits or runs; each ends with `URLError.cancelled`.
    open func cancelAllOperations() {
        let operations = operations
        // Waiting operations are cancelled first, so that the end of a running one starts none of
        // them. The running ones follow in their order, since libcurl searches a host's connections
        // from the oldest on.
        for operation in operations where !operation.isExecuting {
            operation.cancel()
        }
        for operation in operations {
            operation.cancel()
        }
    }
}
