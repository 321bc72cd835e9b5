import Foundation
import Synchronization

/// Many operations with progress and one completion after all of their callbacks (BA-1 to BA-8).
enum OperationBatch {
    /// Wraps the operations' completion blocks and adds one operation that waits for them all.
    ///
    /// Progress comes on each operation's completion queue, before its own block; completion comes
    /// on main, once, also for no operations at all.
    ///
    /// - Returns: the operations and the extra one, last; nothing is enqueued.
    static func wrap(
        _ operations: [URLConnectionOperation],
        progress: (@Sendable (Int, Int) -> Void)?,
        completion: (@Sendable ([URLConnectionOperation]) -> Void)?
    ) -> [Operation] {
        let group = DispatchGroup()
        let last = BatchEnd(after: operations) {
            group.notify(queue: .main) { completion?(operations) }
        }
        for operation in operations {
            join(operation, to: group) {
                progress?(last.finishedCount, operations.count)
            }
            operation.whenFinished { last.oneFinished() }
        }
        return operations + [last]
    }

    private static func join(
        _ operation: URLConnectionOperation, to group: DispatchGroup,
        progress: @escaping @Sendable () -> Void
    ) {
        group.enter()
        operation.completionGroup = group
        let original = operation.completionBlock
        operation.completionBlock = {
            // The original block is itself a delivery to the same queue, so it runs after progress.
            original?()
            progress()
            group.leave()
        }
    }
}

/// The operation that ends a batch: ready when all of the batch have finished.
///
/// It counts instead of depending on each: adding a dependency looks through those there are, which
/// makes a batch of many thousands quadratic.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; one atomic count. Calls out on: the queue it is in.
private final class BatchEnd: Operation, @unchecked Sendable {
    // @unchecked because it restates the superclass; all it adds is constant or atomic.
    private let awaited: [URLConnectionOperation]
    private let unfinished: Atomic<Int>
    private let atEnd: @Sendable () -> Void

    init(after operations: [URLConnectionOperation], _ atEnd: @escaping @Sendable () -> Void) {
        awaited = operations
        unfinished = Atomic(operations.count)
        self.atEnd = atEnd
    }

    /// What it waits for, as if it depended on each.
    override var dependencies: [Operation] { awaited + super.dependencies }

    override var isReady: Bool {
        (unfinished.load(ordering: .acquiring) == 0 || isCancelled) && super.isReady
    }

    /// How many have finished so far.
    var finishedCount: Int { awaited.count - unfinished.load(ordering: .acquiring) }

    func oneFinished() {
        if unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            willChangeValue(forKey: "isReady")
            didChangeValue(forKey: "isReady")
        }
    }

    /// Also when it was cancelled with the others: the batch ends with its callbacks all the same.
    override func start() {
        atEnd()
        super.start()
    }
}
