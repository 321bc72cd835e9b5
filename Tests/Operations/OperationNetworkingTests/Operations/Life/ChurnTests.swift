import CurlConnection
import TestSupport

@testable import OperationNetworking

/// Wound 14: one owner for each start, whoever pauses, resumes and cancels at the same time.
@Suite("Pauses, resumes and cancels from many threads", .timeLimit(.minutes(5)))
struct ChurnTests {
    private static let operationCount = 200

    private let world = TestWorld()
    private let wrong = Log<String>()
    private let queue = OperationQueue()

    init() {
        queue.maxConcurrentOperationCount = 4
    }

    /// Watches every announcement: each old key is the one that was new before, and each move is one that there is.
    /// Whether the getter agrees is not asked: other threads change it meanwhile (decision 53).
    private func watch(_ operation: LifeOperation) {
        let moves: Set<[String]> = [
            ["isReady", "isExecuting"], ["isReady", "isPaused"], ["isReady", "isFinished"],
            ["isExecuting", "isFinished"], ["isExecuting", "isPaused"], ["isPaused", "isReady"],
            ["isPaused", "isFinished"],
        ]
        let announced = Locked((current: "isReady", old: String?.none))
        operation.stateObserver = { [wrong] announcement in
            let keyPath = announcement.keyPath
            guard keyPath != "isCancelled" else { return }
            announced.withLock { announced in
                guard let old = announced.old else {
                    announced.old = keyPath
                    return
                }
                if old != announced.current || !moves.contains([old, keyPath]) {
                    wrong.add("\(announced.current), then \(old) to \(keyPath)")
                }
                announced = (keyPath, nil)
            }
        }
    }

    private func churn(_ operations: [LifeOperation], seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<2_000 {
            guard let operation = operations.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<20, using: &random) {
            case 0: operation.cancel()
            case 1..<10: operation.pause()
            default: operation.resume()
            }
        }
    }

    @Test func `each ends once, within the limit, by legal moves alone`() async {
        let operations = (0..<Self.operationCount).map { _ in world.operation() }
        let ends = operations.map { $0.endSignal() }
        operations.forEach { watch($0) }
        for operation in operations { operation.addOnce(to: queue) }
        await withTaskGroup(of: Void.self) { group in
            for seed: UInt64 in 0..<8 {
                group.addTask {
                    await onNewThread { churn(operations, seed: seed) }
                }
            }
        }
        operations.forEach { $0.resume() }
        for end in ends { await end.wait() }
        await world.empties(queue)
        await MainQueue.settle()
        #expect(ends.allSatisfy { $0.count == 1 })
        #expect(wrong.all == [])
        for operation in operations {
            if operation.isCancelled {
                operation.expectCancelled()
            } else {
                #expect(operation.error == nil && operation.responseString == "hello world")
            }
        }
    }
}
