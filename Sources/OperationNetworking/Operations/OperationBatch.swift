import Foundation

/// Many operations with progress and one completion after all of their callbacks (BA-1 to BA-8).
enum OperationBatch {
    /// Wraps the operations' completion blocks and adds one operation that depends on them all.
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
        let last = BlockOperation {
            group.notify(queue: .main) { completion?(operations) }
        }
        for operation in operations {
            join(operation, to: group) {
                guard let progress else { return }
                progress(operations.count { $0.isFinished }, operations.count)
            }
            last.addDependency(operation)
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
