public import Foundation

/// Schedules operations under concurrency limits.
///
/// Adding is linear in the number of operations. What Foundation's queue makes quadratic is kept
/// out: no barriers, no priority changes; a batch adds one operation that waits, at its end. Adding
/// many operations that each wait for another is still slow there (about half a millisecond each
/// once thousands wait): enqueue dependents when what they wait for has finished.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the reference to the queue; the queue has its own. Calls
/// out on: nothing; operations do.
open class OperationManager: NSObject, @unchecked Sendable {
    // @unchecked because the one variable is guarded by `lock`.
    private let lock = NSLock()
    private var queue = OperationQueue.outsideDefaultPool()

    /// Makes a manager with a queue of its own and Foundation's default limit.
    public override init() {
        super.init()
    }

    /// The queue operations are added to; settable, so that managers can share one limit.
    ///
    /// The one it comes with starts operations in a pool of threads of its own. Another one uses
    /// Dispatch's default pool, where blocks that wait keep operations from starting, unless its
    /// `underlyingQueue` says otherwise.
    public var operationQueue: OperationQueue {
        get { lock.withLock { queue } }
        set { lock.withLock { queue = newValue } }
    }

    /// How many operations may run at once; a change takes effect for those that wait.
    public var maxConcurrentOperationCount: Int {
        get { operationQueue.maxConcurrentOperationCount }
        set { operationQueue.maxConcurrentOperationCount = newValue }
    }

    /// Whether operations that wait are held back; those that run go on.
    public var isSuspended: Bool {
        get { operationQueue.isSuspended }
        set { operationQueue.isSuspended = newValue }
    }

    /// The operations that wait or run.
    public var operations: [Operation] {
        operationQueue.operations
    }

    /// Adds an operation; the queue starts it when it is ready and a place is free.
    ///
    /// One that a manager has enqueued before, that was started or has finished stays as it is. One
    /// that was added to an `OperationQueue` itself stops the process, as Foundation does.
    open func enqueue(_ operation: URLConnectionOperation) {
        operation.enter(operationQueue)
    }

    /// Adds operations with progress and one completion after all of their callbacks.
    ///
    /// - Parameters:
    ///   - progress: called once an operation with the number finished and the number in all.
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

    /// Cancels every operation that waits or runs; each ends with `URLError.cancelled`.
    open func cancelAllOperations() {
        let operations = operationQueue.operations
        // Those that wait first: a place that becomes free must not start one of them. Then in
        // their order, since libcurl searches a host's connections from the oldest on.
        for operation in operations where !operation.isExecuting {
            operation.cancel()
        }
        for operation in operations {
            operation.cancel()
        }
    }
}

extension OperationQueue {
    /// A queue that starts operations though serializers, completion blocks and whatever else the
    /// program does have used up Dispatch's default pool: only user-interactive blocks share its
    /// threads.
    package static func outsideDefaultPool() -> OperationQueue {
        let queue = OperationQueue()
        queue.underlyingQueue = starters
        return queue
    }

    private static let starters = DispatchQueue(
        label: "com.alamofire.networking.operation.start", qos: .userInteractive,
        attributes: .concurrent)
}
