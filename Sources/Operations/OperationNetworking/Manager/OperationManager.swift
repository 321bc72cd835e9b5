public import Foundation
import Locking

/// Runs operations under concurrency limits.
///
/// Adding is linear in the number of operations, because nothing is used that is quadratic in
/// Foundation's queue: no barriers, no priority changes. A batch adds one operation that waits, at
/// its end. Adding many operations that each depend on another is still slow there (about half a
/// millisecond each once thousands wait): enqueue an operation when those it depends on have
/// finished.
///
/// ## Concurrency
/// Call from: any thread. Lock: one each around the reference to the queue and the options; the queue has its own. Calls
/// out on: nothing; operations do.
open class OperationManager: NSObject, @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has is constant.
    private let queue = Locked<OperationQueue>(ManagerQueue())
    /// Made by the first limit beyond the queue's own.
    private let madeGate = Locked<AdmissionGate?>(nil)
    let resultOrder = Locked(ResultOrder())

    /// Makes a manager with a queue of its own and Foundation's default limit.
    public override init() {
        super.init()
    }

    deinit { existingGate?.close() }

    /// The queue that operations are added to; settable, so that managers can share one limit.
    ///
    /// The initial queue's `cancelAllOperations()`, `waitUntilAllOperationsAreFinished()` and `addBarrierBlock`
    /// count also what a limit by origin or group holds back, for each manager that shares it; its `operations`
    /// and `operationCount`, which Foundation lets nobody override, do not: ask the manager for `operations`.
    /// A barrier block of it runs after a `cancelAllOperations()` too. A queue of another class knows of what is
    /// held back only once it may start; and Foundation's own barriers stop a thread for ever, or the process,
    /// where an operation before or behind them is cancelled.
    ///
    /// The initial queue starts operations in a pool of threads of its own. Another queue uses
    /// Dispatch's default pool, where blocks that wait keep operations from starting, unless its
    /// `underlyingQueue` is set.
    public var operationQueue: OperationQueue {
        get { queue.withLock { $0 } }
        set {
            var queue = newValue
            // The old one goes after the lock, with what it holds.
            self.queue.withLock { swap(&$0, &queue) }
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

    /// The operations that wait or run, in the order in which they were enqueued; also those that a limit by
    /// origin or group holds back, which are in `operationQueue` only once they may start.
    public var operations: [Operation] {
        // First those that are held: on its way into the queue one is in both, and never in neither.
        let heldBack = existingGate?.heldOperations ?? []
        let queued = operationQueue.operations
        if heldBack.isEmpty { return queued }
        var last: UInt64 = 0
        let numbered = queued.map { operation in
            last = (operation as? any GatedOperation)?.currentAdmission?.number ?? last
            return (number: last, operation: operation)
        }
        let there = Set(queued.map(ObjectIdentifier.init))
        let held = heldBack.filter { !there.contains(ObjectIdentifier($0.operation)) }
        return (numbered + held).sorted { $0.number < $1.number }.map(\.operation)
    }

    /// Blocks the caller's thread until nothing waits or runs, nor is held back.
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

    /// Adds an operation of a group of the caller's; see `setMaximumConcurrentOperationCount(_:ofGroup:)`.
    public func enqueue(_ operation: URLConnectionOperation, group: String?) {
        operation.enter(
            operationQueue, through: group == nil ? existingGate : gate, group: group,
            resultOrder.withLock { $0 })
    }

    /// Holds operations back, where a limit or a group asked for it.
    var gate: AdmissionGate {
        madeGate.withLock { gate in
            if let gate { return gate }
            let new = AdmissionGate()
            gate = new
            return new
        }
    }

    var existingGate: AdmissionGate? { madeGate.withLock { $0 } }

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
