import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("Any order of calls of a queue with limits", .timeLimit(.minutes(5)))
struct QueueStormTests {
    /// Threads that do what callers may do, in a queue whose limits change; each round is drained.
    @Test(arguments: 0..<10)
    func `any order of calls leaves nothing behind`(seed: Int) async {
        let (world, manager) = (TestWorld(), OperationManager())
        world.server.add("/any", isPrefix: true) { _ in .data(Data()) }
        let round = QueueRound(world, manager, seed)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 { group.addTask { round.act(number) } }
        }
        await round.drain()
        #expect(manager.operationQueue.operationCount == 0)
        #expect(round.ends.all.count == Set(round.ends.all).count)
        // Nothing but the width is left.
        #expect(await waitUntil { manager.existingLimiter.map { $0.resourceCount == 1 } != false })
    }
}

private final class QueueRound: @unchecked Sendable {
    // @unchecked because all of it is constant or guards itself.
    private let world: TestWorld
    private let manager: OperationManager
    private let seed: Int
    private let all = Locked<[URLConnectionOperation]>([])
    /// In the queue already: who depends on one that is not could wait for ever.
    private let added = Locked<[Operation]>([])
    private let count = Locked((operations: 0, barriers: 0))
    let ends = Log<Int>()
    private let barriers = Log<Int>()

    init(_ world: TestWorld, _ manager: OperationManager, _ seed: Int) {
        (self.world, self.manager, self.seed) = (world, manager, seed)
    }

    func act(_ thread: Int) {
        var numbers = SeededNumbers(seed: UInt64(seed * 10 + thread))
        let queue = manager.operationQueue
        for _ in 0..<150 {
            let some = all.withLock { $0.suffix(20).randomElement(using: &numbers) }
            switch Int.random(in: 0..<24, using: &numbers) {
            case 0..<8: enqueue(&numbers)
            case 8: some?.pause()
            case 9...11: some?.resume()
            case 12: some?.cancel()
            case 13: some?.fail(with: URLError(.timedOut))
            case 14:
                if let other = some?.dependencies.first { some?.removeDependency(other) }
            case 15:
                count.withLock { $0.barriers += 1 }
                queue.addBarrierBlock { [barriers] in barriers.add(0) }
            case 16:
                queue.isSuspended = true
                queue.isSuspended = false
            case 17: manager.setSuspended(Bool.random(using: &numbers), group: "a")
            case 18:
                queue.maxConcurrentOperationCount =
                    [-1, 0, 1, 2, 5].randomElement(using: &numbers) ?? 1
            case 19:
                manager.setMaxConcurrentOperationCount(
                    [nil, 1, 2].randomElement(using: &numbers) ?? nil, ofGroup: "a")
            case 20:
                manager.maximumOperationsPerOrigin =
                    [nil, 1, 3].randomElement(using: &numbers) ?? nil
            case 21: if Int.random(in: 0..<10, using: &numbers) == 0 { queue.cancelAllOperations() }
            case 22:
                some?.queuePriority =
                    [.low, .normal, .high].randomElement(using: &numbers) ?? .normal
            default: _ = manager.snapshot()
            }
        }
    }

    private func enqueue(_ numbers: inout SeededNumbers) {
        let number = count.withLock { count in
            count.operations += 1
            return count.operations
        }
        let others = added.withLock { $0.suffix(10) }
        let dependency =
            Int.random(in: 0..<4, using: &numbers) == 0
            ? others.randomElement(using: &numbers) : nil
        if Int.random(in: 0..<6, using: &numbers) == 0 {
            let block = BlockOperation {}
            block.completionBlock = { [ends] in ends.add(number) }
            manager.operationQueue.take(block)
            added.withLock { $0.append(block) }
            return
        }
        let operation = world.operation("/any/\(number)")
        operation.completionBlock = { [ends] in ends.add(number) }
        if let dependency { operation.addDependency(dependency) }
        all.withLock { $0.append(operation) }
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: manager.enqueue(operation, group: "a")
        case 1: manager.enqueue(operation)
        default: manager.operationQueue.take(operation)
        }
        added.withLock { $0.append(operation) }
    }

    func drain() async {
        manager.setSuspended(false, group: "a")
        manager.setMaxConcurrentOperationCount(nil, ofGroup: "a")
        manager.maximumOperationsPerOrigin = nil
        manager.operationQueue.maxConcurrentOperationCount = 3
        for operation in all.withLock({ $0 }) { operation.resume() }
        let count = count.withLock { $0 }
        #expect(await ends.reaches(count.operations))
        #expect(await barriers.reaches(count.barriers))
        await world.empties(manager.operationQueue)
    }
}
