import CurlConnection
import TestSupport

@testable import OperationNetworking

/// What waits behind a limit is in the queue like everything else.
@Suite("The queue that a manager hands out", .timeLimit(.minutes(5)))
struct ManagerQueueTests {
    private let world = TestWorld()
    private let manager = OperationManager()
    private let ends = Log<String>()

    init() {
        world.addHeldPaths()
    }

    private func operation(_ name: String) -> LifeOperation { world.held(name, ends) }

    /// Of as many as there are names, with this limit for an origin, the first ones run.
    private func enqueue(_ names: [String], limit: Int) -> [LifeOperation] {
        manager.maximumOperationsPerOrigin = limit
        let all = names.map(operation)
        all.forEach(manager.enqueue)
        #expect(world.server.waitUntilReached("held", count: limit))
        return all
    }

    // MARK: Cancelling and waiting

    @Test func `its cancel reaches what waits behind a limit`() async {
        let all = enqueue(["1", "2", "3", "4", "5", "6"], limit: 2)
        manager.operationQueue.cancelAllOperations()
        #expect(await ends.reaches(6))
        #expect(all.allSatisfy { ($0.error as? URLError)?.code == .cancelled })
        #expect(world.server.requests.count == 2)
    }

    @Test func `its cancel reaches what waits behind the limits of each manager that shares it`()
        async
    {
        let (other, others) = (OperationManager(), Log<String>())
        other.operationQueue = manager.operationQueue
        other.setSuspended(true, group: "later")
        let all = enqueue(["1", "2"], limit: 1)
        other.enqueue(operation("3"), group: "later")
        // One whose limits have nothing to do with this queue.
        let apart = OperationManager()
        apart.setSuspended(true, group: "later")
        apart.enqueue(world.held("apart", others), group: "later")
        manager.operationQueue.cancelAllOperations()
        #expect(await ends.reaches(3))
        #expect(all.allSatisfy(\.isCancelled) && world.server.requests.count == 1)
        #expect(apart.operations.count == 1 && others.all == [])
        apart.cancelAllOperations()
        #expect(await others.reaches(1))
    }

    @Test func `its wait ends when what waits behind a limit has ended`() async {
        _ = enqueue(["1", "2", "3"], limit: 1)
        let isOver = Signal()
        Thread.detachNewThread { [manager] in
            manager.operationQueue.waitUntilAllOperationsAreFinished()
            isOver.fire()
        }
        world.server.release("held", count: 1)
        #expect(world.server.waitUntilReached("held", count: 2))
        world.server.release("held", count: 1)
        #expect(world.server.waitUntilReached("held", count: 3))
        await MainQueue.settle()
        #expect(isOver.count == 0)
        world.server.release("held")
        await isOver.wait()
        #expect(manager.operations.isEmpty)
        #expect(await ends.reaches(3))
    }

    @Test func `in a queue of a caller's own what waits is seen, waited for and cancelled too`()
        async
    {
        manager.operationQueue = OperationQueue()
        let all = enqueue(["1", "2"], limit: 1)
        #expect(manager.operations == all)
        #expect(manager.snapshot().map(\.reason) == [nil, .originLimit])
        let isOver = Signal()
        Thread.detachNewThread { [manager] in
            manager.waitUntilAllOperationsAreFinished()
            isOver.fire()
        }
        await MainQueue.settle()
        all[1].cancel()
        #expect(await ends.reaches(1))
        #expect(ends.all == ["/held/2"] && isOver.count == 0)
        world.server.release("held")
        await isOver.wait()
        #expect(await ends.reaches(2))
        #expect(world.server.requests.count == 1)
    }

    // MARK: Barriers

    @Test func `a barrier waits for what waits behind a limit, and holds back what comes later`()
        async
    {
        let all = enqueue(["1", "2"], limit: 1)
        let (queue, third, seen) = (manager.operationQueue, operation("3"), Log<[Bool]>())
        queue.addBarrierBlock { seen.add((all + [third]).map(\.isFinished)) }
        // One that is let in by now is before the barrier all the same.
        manager.maximumOperationsPerOrigin = nil
        manager.enqueue(third)
        queue.addBarrierBlock { seen.add((all + [third]).map(\.isFinished)) }
        queue.addOperation { seen.add([]) }
        world.server.release("held")
        #expect(await seen.reaches(3))
        #expect(seen.all == [[true, true, false], [true, true, true], []])
        await world.empties(queue)
    }

    @Test func `a barrier of an empty queue runs, and one in a suspended queue waits`() async {
        let queue = manager.operationQueue
        queue.addBarrierBlock { [ends] in ends.add("first") }
        #expect(await ends.reaches(1))
        queue.isSuspended = true
        queue.addOperation { [ends] in ends.add("operation") }
        queue.addBarrierBlock { [ends] in ends.add("second") }
        await MainQueue.settle()
        #expect(ends.all == ["first"])
        queue.isSuspended = false
        #expect(await ends.reaches(3))
        #expect(ends.all == ["first", "operation", "second"])
    }

    @Test func `waiting for all waits for the barriers too`() async {
        let queue = manager.operationQueue
        let hold = LifeHold()
        queue.addOperation { [ends] in ends.add("operation") }
        queue.addBarrierBlock { [ends] in
            hold.stop()
            ends.add("barrier")
        }
        await hold.isHeld.wait(for: 1, "the barrier")
        let isOver = Signal()
        Thread.detachNewThread {
            queue.waitUntilAllOperationsAreFinished()
            isOver.fire()
        }
        await MainQueue.settle()
        #expect(isOver.count == 0)
        hold.release()
        await isOver.wait()
        #expect(ends.all == ["operation", "barrier"])
    }

    /// All these queues start operations on one dispatch queue.
    @Test func `a barrier of one queue holds up the starts of no other`() async {
        let (first, hold, queue) = (LifeHold(), LifeHold(), OperationQueue.outsideDefaultPool())
        // Behind an operation, or Foundation calls it at once.
        queue.addOperation { first.stop() }
        queue.addBarrierBlock { hold.stop() }
        first.release()
        await hold.isHeld.wait(for: 1, "the barrier")
        manager.operationQueue.addOperation { [ends] in ends.add("operation") }
        #expect(await ends.reaches(1))
        hold.release()
    }

    @Test func `two barriers run also after their queue was released`() async {
        let hold = DispatchSemaphore(value: 0)
        do {
            let queue = OperationManager().operationQueue
            queue.addOperation { hold.wait() }
            for name in ["first", "second"] {
                queue.addBarrierBlock { [ends] in ends.add(name) }
            }
        }
        hold.signal()
        #expect(await ends.reaches(2))
        #expect(ends.all == ["first", "second"])
    }

    /// With Foundation's own barriers the first hangs, and the others stop the process now and then.
    @Test func `cancelled operations and barriers go together`() async {
        await #expect(processExitsWith: .success) {
            let world = TestWorld()
            world.addHeldPaths()
            let (ends, barriers) = (Log<String>(), Log<Int>())
            for round in 0..<20 {
                let manager = OperationManager()
                let queue = manager.operationQueue
                let first = world.held("first", ends)
                manager.enqueue(first)
                queue.addBarrierBlock { barriers.add(round) }
                let cancelled = world.held("cancelled", ends)
                cancelled.cancel()
                manager.enqueue(cancelled)
                let block = BlockOperation { ends.add("block") }
                block.completionBlock = { ends.add("block") }
                block.cancel()
                queue.take(block)
                for _ in 0..<5 { manager.enqueue(world.held("behind", ends)) }
                if round % 2 == 0 { queue.addBarrierBlock { barriers.add(round) } }
                for _ in 0..<5 { queue.take(BlockOperation {}) }
                if round % 4 < 2 {
                    queue.cancelAllOperations()
                } else {
                    manager.cancelAllOperations()
                }
                await world.empties(queue)
                try #require(await ends.reaches(8 * (round + 1)))
                try #require(await barriers.reaches((round + 1) + (round / 2 + 1)))
            }
        }
    }

    // MARK: Pausing and dependencies behind a limit

    @Test func `one that is paused behind a limit leaves its place to the next`() async {
        let all = enqueue(["1", "2", "3"], limit: 1)
        all[1].pause()
        #expect(manager.operations.contains(all[1]))
        world.server.release("held", count: 1)
        #expect(world.server.waitUntilReached("held", count: 2))
        #expect(world.server.requests.last?.path == "/held/3")
        all[1].resume()
        #expect(manager.snapshot().map(\.reason) == [.originLimit, nil])
        world.server.release("held")
        #expect(await ends.reaches(3))
        #expect(all[1].error == nil && world.server.requests.count == 3)
    }

    @Test func `one that is paused with a place and unstarted gives it back`() async {
        manager.maximumOperationsPerOrigin = 1
        manager.isSuspended = true
        let all = ["1", "2"].map(operation)
        all.forEach(manager.enqueue)
        all[0].pause()
        manager.isSuspended = false
        #expect(world.server.waitUntilReached("held"))
        #expect(world.server.requests.map(\.path) == ["/held/2"])
        all[0].resume()
        #expect(manager.snapshot().map(\.reason) == [.originLimit, nil])
        world.server.release("held")
        #expect(await ends.reaches(2))
    }

    @Test(arguments: [true, false])
    func `one that must wait for a later one after all does not keep that one's place`(
        isInQueue: Bool
    ) async {
        manager.setMaxConcurrentOperationCount(1, ofGroup: "one")
        manager.isSuspended = isInQueue
        let all = ["1", "2", "3"].map(operation)
        for operation in all { manager.enqueue(operation, group: "one") }
        if isInQueue {
            all[0].addDependency(all[2])
            all[1].addDependency(all[0])
            manager.isSuspended = false
        } else {
            #expect(world.server.waitUntilReached("held"))
            all[1].addDependency(all[2])
        }
        world.server.release("held")
        #expect(await ends.reaches(3))
        #expect(
            world.server.requests.map(\.path)
                == (isInQueue ? ["3", "1", "2"] : ["1", "3", "2"]).map { "/held/\($0)" })
    }

    @Test func `a download that must wait for a later one does not keep that one's place`()
        async throws
    {
        let downloads = TestWorld()
        let all = ["1", "2", "3"].map { name in
            let download = FileDownloadOperation(
                world.request("/held/\(name)"), to: downloads.file(name), options: .once)
            download.setResultBlock { [ends] _ in ends.add(name) }
            return download
        }
        manager.maximumOperationsPerOrigin = 1
        for download in all { manager.enqueue(download) }
        #expect(world.server.waitUntilReached("held"))
        all[1].addDependency(all[2])
        world.server.release("held")
        #expect(await ends.reaches(3))
        #expect(world.server.requests.map(\.path) == ["1", "3", "2"].map { "/held/\($0)" })
    }

    @Test func `pauses and resumes behind limits forget nobody`() async {
        manager.maximumOperationsPerOrigin = 2
        manager.setMaxConcurrentOperationCount(1, ofGroup: "one")
        world.server.release("held")
        let all = (0..<100).map { operation("\($0)") }
        let manager = manager
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for (number, operation) in all.enumerated() {
                    manager.enqueue(operation, group: number % 3 == 0 ? "one" : nil)
                }
            }
            for seed in 0..<3 {
                group.addTask {
                    var numbers = SeededNumbers(seed: UInt64(seed))
                    for _ in 0..<1_000 {
                        let operation = all[Int.random(in: 0..<all.count, using: &numbers)]
                        if operation.isExecuting { continue }
                        operation.pause()
                        operation.resume()
                    }
                }
            }
        }
        #expect(await ends.reaches(100))
        #expect(Set(ends.all).count == 100)
        await world.empties(manager.operationQueue)
    }

    // MARK: Its manager's end

    @Test func `what waits in a suspended group ends when its manager is released`() async {
        let gone = Signal()
        do {
            let manager = OperationManager()
            manager.setSuspended(true, group: "later")
            manager.setMaxConcurrentOperationCount(1, ofGroup: "later")
            for number in 0..<3 {
                let operation = operation("\(number)")
                operation.userInfo = ["sentinel": Sentinel(gone)]
                manager.enqueue(operation, group: "later")
            }
        }
        #expect(await ends.reaches(3))
        await gone.wait(for: 3, "the operations to be freed")
        #expect(world.server.requests.isEmpty)
    }

    @Test func `what comes to a suspended group after its manager's release ends as well`() async {
        let first = operation("first")
        let second = operation("second")
        second.addDependency(first)
        let third = operation("third")
        third.pause()
        do {
            let manager = OperationManager()
            manager.setSuspended(true, group: "later")
            manager.enqueue(first)
            manager.enqueue(second, group: "later")
            manager.enqueue(third, group: "later")
        }
        world.server.release("held")
        third.resume()
        #expect(await ends.reaches(3))
        #expect((second.error as? URLError)?.code == .cancelled)
        #expect((third.error as? URLError)?.code == .cancelled)
        #expect(world.server.requests.map(\.path) == ["/held/first"])
    }

    @Test func `a download in a suspended group ends when its manager is released`() async throws {
        let downloads = TestWorld()
        do {
            let manager = OperationManager()
            manager.setSuspended(true, group: "later")
            let download = FileDownloadOperation(
                world.request("/held/1"), to: downloads.file("a"), options: .once)
            download.setResultBlock { [ends] _ in ends.add("a") }
            manager.enqueue(download, group: "later")
        }
        #expect(await ends.reaches(1))
        #expect(world.server.requests.isEmpty)
    }
}

extension TestWorld {
    /// Paths whose answers stop at the gate "held", before their heads.
    func addHeldPaths() {
        server.add("/held", isPrefix: true) { _ in
            ScriptedResponse([
                .wait(gate: "held"),
                .bytes(ScriptedResponse.head(200, [("Content-Length", "0")])),
            ])
        }
    }

    fileprivate func held(_ name: String, _ ends: Log<String>) -> LifeOperation {
        let path = "/held/\(name)"
        let operation = operation(path)
        operation.configuration.httpMaximumConnectionsPerHost = 100
        operation.completionBlock = { ends.add(path) }
        return operation
    }
}
