import CMeasure
import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

/// Bare operations in a manager's queue: no completion, whoever wants the results waits.
class OperationRival: Rival, @unchecked Sendable {
    // @unchecked because everything is set once, and the manager is safe from any thread.
    let manager = OperationManager()
    private let request: URLRequest
    private let configuration: URLConnectionConfiguration?

    required init(_ assignment: Assignment) {
        var request = URLRequest(url: assignment.url)
        if assignment.closes {
            request.setValue("close", forHTTPHeaderField: "Connection")
        }
        self.request = request
        configuration = assignment.isPlain ? nil : .measured(assignment)
        manager.maxConcurrentOperationCount =
            assignment.kind == .cancel ? assignment.count : assignment.atOnce
    }

    func make() -> URLConnectionOperation {
        let operation = URLConnectionOperation(request: request)
        if let configuration { operation.configuration = configuration }
        return operation
    }

    /// With a completion block, since somebody wants to hear of this one.
    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        run(make(), ended)
    }

    private func run(
        _ operation: URLConnectionOperation, _ ended: @escaping @Sendable (Reply) -> Void
    ) {
        operation.completionQueue = Self.completionQueue
        operation.completionBlock = { [unowned operation] in
            if let error = operation.error { return ended(Reply(error)) }
            let stored = operation.responseData?.count ?? Int(operation.totalBytesRead)
            ended(Reply(isGood: true, byteCount: stored))
        }
        manager.enqueue(operation)
    }

    private static let completionQueue = DispatchQueue(label: "completion")

    /// A thousand at a time, then the next thousand.
    func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        batches(for: assignment.warmUp, into: &outcome)
        outcome = Outcome()
        let watch = Stopwatch()
        batches(for: assignment.seconds, into: &outcome)
        watch.stop(into: &outcome)
    }

    private func batches(for seconds: Double, into outcome: inout Outcome) {
        let until = measure_now() + UInt64(seconds * 1e9)
        while measure_now() < until {
            let operations = (0..<1000).map { _ in make() }
            operations.forEach(manager.enqueue)
            // The last first: who waits for each in turn is woken for each.
            operations.last?.waitUntilFinished()
            manager.operationQueue.waitUntilAllOperationsAreFinished()
            for operation in operations {
                outcome.requests += 1
                outcome.bytes += operation.responseData?.count ?? 0
                if let error = operation.error {
                    outcome.failures += 1
                    Complaint.once("\(error)")
                }
            }
        }
    }

    func enqueue(_ count: Int, _ allEnded: @escaping @Sendable () -> Void) {
        let operations = (0..<count).map { _ in make() }
        operations.forEach(manager.enqueue)
        Thread.detachNewThread { [manager, last = operations.last] in
            last?.waitUntilFinished()
            manager.operationQueue.waitUntilAllOperationsAreFinished()
            allEnded()
        }
    }

    func hold(_ isHeld: Bool) {
        manager.isSuspended = isHeld
    }

    func cancelAll() {
        manager.cancelAllOperations()
    }

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        let operation = make()
        operation.outputStream =
            path.map { OutputStream(toFileAtPath: $0, append: false) }
            ?? CountingStream(toMemory: ())
        run(operation, ended)
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        let operation = make()
        operation.request = .uploading(from: path, to: operation.request)
        run(operation, ended)
    }
}

/// The same with a completion block on a private queue, which starts the next.
final class OperationWithCompletionRival: OperationRival, @unchecked Sendable {
    // @unchecked because it adds nothing.
    override func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        ClosedLoop(self, atOnce: assignment.atOnce).run(assignment, into: &outcome)
    }
}
