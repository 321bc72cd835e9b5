import CurlConnection
import OperationNetworking
import TestSupport

@Suite("The manager", .timeLimit(.minutes(5)))
struct OperationManagerTests {
    private let world = TestWorld()
    private let manager = OperationManager()

    /// Operations whose answers wait at the gate "all", one ending for all of them.
    private func gated(_ count: Int) -> ([URLConnectionOperation], Signal) {
        let end = Signal()
        let operations = (0..<count).map { _ in
            let operation = world.plainOperation("/gate/all")
            operation.configuration.httpMaximumConnectionsPerHost = count
            operation.completionBlock = { end.fire() }
            return operation
        }
        return (operations, end)
    }

    @Test(arguments: [1, 3, 7])
    func `no more than the limit run at once`(count: Int) async {
        manager.maxConcurrentOperationCount = count
        let (operations, end) = gated(20)
        operations.forEach(manager.enqueue)
        #expect(await world.reached("all", count: count))
        #expect(operations.count { $0.isExecuting } == count)
        world.server.release("all")
        await end.wait(for: 20)
        #expect(world.server.statistics.peakInFlight == count)
        #expect(operations.allSatisfy { $0.error == nil && $0.isFinished })
    }

    @Test
    func `a higher limit lets more start while others run`() async {
        manager.maxConcurrentOperationCount = 2
        let (operations, end) = gated(12)
        operations.forEach(manager.enqueue)
        #expect(await world.reached("all", count: 2))
        manager.maxConcurrentOperationCount = 6
        #expect(manager.maxConcurrentOperationCount == 6)
        #expect(await world.reached("all", count: 6))
        #expect(world.server.statistics.peakInFlight == 6)
        world.server.release("all")
        await end.wait(for: 12)
        #expect(world.server.statistics.peakInFlight == 6)
    }

    @Test
    func `a lower limit counts for those that wait; those that run go on`() async {
        manager.maxConcurrentOperationCount = 4
        let (operations, end) = gated(10)
        operations.forEach(manager.enqueue)
        #expect(await world.reached("all", count: 4))
        manager.maxConcurrentOperationCount = 1
        world.server.release("all", count: 4)
        await end.wait(for: 4)
        #expect(await world.reached("all", count: 5))
        #expect(operations.count { $0.isExecuting } == 1)
        world.server.release("all")
        await end.wait(for: 10)
    }

    @Test
    func `while suspended nothing starts; what runs goes on`() async {
        manager.maxConcurrentOperationCount = 2
        let (operations, end) = gated(6)
        operations.forEach(manager.enqueue)
        #expect(await world.reached("all", count: 2))
        manager.isSuspended = true
        #expect(manager.isSuspended)
        world.server.release("all", count: 2)
        await end.wait(for: 2)
        await world.settle()
        #expect(operations.count { $0.isFinished } == 2)
        #expect(operations.count { $0.isExecuting } == 0)
        // The queue may hold one for a moment that has ended.
        #expect(manager.operations.count { !$0.isFinished } == 4)
        world.server.release("all")
        manager.isSuspended = false
        await end.wait(for: 6)
        #expect(operations.allSatisfy { $0.error == nil })
    }

    @Test
    func `managers with one queue share its limit`() async {
        let other = OperationManager()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 3
        manager.operationQueue = queue
        other.operationQueue = queue
        let (operations, end) = gated(12)
        for (index, operation) in operations.enumerated() {
            (index.isMultiple(of: 2) ? manager : other).enqueue(operation)
        }
        #expect(other.maxConcurrentOperationCount == 3)
        #expect(await world.reached("all", count: 3))
        #expect(operations.count { $0.isExecuting } == 3)
        world.server.release("all")
        await end.wait(for: 12)
        #expect(world.server.statistics.peakInFlight == 3)
    }

    @Test
    func `cancelling all ends those that run and those that wait with the cancel error (OP-16)`()
        async
    {
        manager.maxConcurrentOperationCount = 2
        let (operations, end) = gated(10)
        operations.forEach(manager.enqueue)
        #expect(await world.reached("all", count: 2))
        manager.cancelAllOperations()
        await end.wait(for: 10)
        #expect(operations.allSatisfy { $0.isFinished && $0.errorCode == .cancelled })
        #expect(world.server.statistics.requests == 2)
        #expect(manager.operations.allSatisfy { $0.isFinished })
        #expect(await world.sees { $0.connectionsOpen == 0 })
    }

    @Test(
        arguments: ["/reset", "/gate/all"])
    func `a failed or cancelled dependency lets its dependent start, after it`(path: String) async {
        world.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        let first = world.plainOperation(path)
        let second = world.plainOperation("/ok")
        second.addDependency(first)
        let order = Log<String>()
        let end = Signal()
        first.completionBlock = {
            order.add("first")
            end.fire()
        }
        second.completionBlock = {
            order.add("second")
            end.fire()
        }
        manager.enqueue(second)
        manager.enqueue(first)
        if path == "/gate/all" {
            #expect(await world.reached("all"))
            #expect(!second.isExecuting && !second.isReady)
            first.cancel()
        }
        await end.wait(for: 2)
        #expect(order.all == ["first", "second"])
        #expect(first.error != nil)
        #expect(second.responseString == "hello world")
    }
}

/// Apart, since it takes most of a minute under the thread sanitizer.
@Suite("The manager with many operations", .timeLimit(.minutes(5)))
struct ManyOperationsTests {
    private let world = TestWorld()
    private let manager = OperationManager()

    @Test
    func `ten thousand operations all end, once each`() async {
        manager.maxConcurrentOperationCount = 16
        let end = Signal()
        let good = Signal()
        let queue = DispatchQueue(label: "many")
        for _ in 0..<10_000 {
            let operation = world.plainOperation("/ok")
            operation.completionQueue = queue
            operation.completionBlock = { [unowned operation] in
                if operation.responseData?.count == 11 { good.fire() }
                end.fire()
            }
            manager.enqueue(operation)
        }
        // A minute for each thousand: the thread sanitizer takes one for all, and longer beside other programs.
        for count in 1...10 { await end.wait(for: count * 1_000) }
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
        #expect(end.count == 10_000)
        #expect(good.count == 10_000)
        #expect(world.server.statistics.requests == 10_000)
        #expect(world.server.statistics.peakInFlight <= 16)
    }
}
