public import CurlConnection
public import Foundation

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
