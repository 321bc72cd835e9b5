import CurlConnection
import TestSupport

@testable import OperationNetworking

/// With a first limit the width is decided where the limits are, and all members of the queue have to know of it.
@Suite("A manager's queue with limits", .timeLimit(.minutes(5)))
struct QueueWithLimitsTests {
    private let world = TestWorld()
    private let manager = OperationManager()
    private let ends = Log<String>()
    private var queue: OperationQueue { manager.operationQueue }

    init() {
        world.addHeldPaths()
    }

    private func operation(
        _ name: String, _ priority: Operation.QueuePriority = .normal
    ) -> LifeOperation {
        let operation = world.operation("/held/\(name)")
        operation.configuration.httpMaximumConnectionsPerHost = 100
        operation.queuePriority = priority
        operation.completionBlock = { [ends] in ends.add(name) }
        return operation
    }

    private func block(_ name: String) -> BlockOperation {
        BlockOperation { [ends] in ends.add(name) }
    }

    private var requested: [String] {
        world.server.requests.map { String($0.path.dropFirst("/held/".count)) }
    }

    private func reasons() -> [QueuedOperation.Reason?] { manager.snapshot().map(\.reason) }

    // MARK: Its width

    @Test func `its width counts with limits, and a change of it for what waits`() async {
        manager.setMaxConcurrentOperationCount(3, ofGroup: "one")
        queue.maxConcurrentOperationCount = 2
        let all = (1...6).map { operation("\($0)") }
        all.forEach(manager.enqueue)
        #expect(world.server.waitUntilReached("held", count: 2))
        #expect(queue.maxConcurrentOperationCount == 2 && queue.operations == all)
        #expect(reasons() == [nil, nil] + Array(repeating: .width(2), count: 4))
        queue.maxConcurrentOperationCount = 3
        #expect(world.server.waitUntilReached("held", count: 3))
        world.server.release("held", count: 1)
        #expect(world.server.waitUntilReached("held", count: 4))
        await world.settle()
        // The first two may begin in either order.
        #expect(Set(requested.prefix(2)) == ["1", "2"] && requested.dropFirst(2) == ["3", "4"])
        queue.maxConcurrentOperationCount = -1
        #expect(world.server.waitUntilReached("held", count: 6))
        world.server.release("held")
        #expect(await ends.reaches(6))
        await world.empties(queue)
        #expect(queue.operationCount == 0)
    }

    @Test func `with a width of 0 nothing starts`() async {
        manager.maximumOperationsPerOrigin = 5
        queue.maxConcurrentOperationCount = 0
        manager.enqueue(operation("1"))
        queue.take(block("block"))
        await world.settle()
        #expect(requested.isEmpty && ends.all.isEmpty && queue.operationCount == 2)
        world.server.release("held")
        queue.maxConcurrentOperationCount = 1
        #expect(await ends.reaches(2))
        #expect(Set(ends.all) == ["1", "block"])
    }

    @Test func `an operation that waits for a slot of a group keeps none of the queue's`() async {
        queue.maxConcurrentOperationCount = 4
        manager.setMaxConcurrentOperationCount(2, ofGroup: "pictures")
        for number in 1...4 { manager.enqueue(operation("\(number)"), group: "pictures") }
        for number in 5...7 { manager.enqueue(operation("\(number)")) }
        #expect(world.server.waitUntilReached("held", count: 4))
        await world.settle()
        #expect(Set(requested) == ["1", "2", "5", "6"])
        let group = QueuedOperation.Reason.groupLimit("pictures")
        #expect(reasons() == [nil, nil, group, group, nil, nil, .width(4)])
        world.server.release("held")
        #expect(await ends.reaches(7))
    }

    // MARK: The first limit

    @Test func `the first limit counts what runs, and those that wait keep their order`() async {
        queue.maxConcurrentOperationCount = 2
        let all = ["1", "2", "3", "4", "5"].map { operation($0) }
        all.forEach(manager.enqueue)
        #expect(world.server.waitUntilReached("held", count: 2))
        manager.maximumOperationsPerOrigin = 3
        #expect(reasons() == [nil, nil, .width(2), .width(2), .width(2)])
        queue.maxConcurrentOperationCount = 10
        #expect(world.server.waitUntilReached("held", count: 3))
        await world.settle()
        #expect(Set(requested) == ["1", "2", "3"] && queue.operations == all)
        #expect(reasons() == [nil, nil, nil, .originLimit, .originLimit])
        world.server.release("held", count: 1)
        #expect(world.server.waitUntilReached("held", count: 4))
        #expect(requested.last == "4")
        world.server.release("held")
        #expect(await ends.reaches(5))
    }

    @Test func `the first limit counts what is paused after its start`() async {
        let (first, second) = (operation("1"), operation("2"))
        manager.enqueue(first)
        #expect(world.server.waitUntilReached("held"))
        first.pause()
        manager.maximumOperationsPerOrigin = 1
        manager.enqueue(second)
        await world.settle()
        #expect(reasons() == [.paused, .originLimit])
        world.server.release("held")
        first.resume()
        #expect(await ends.reaches(2))
        #expect(ends.all == ["1", "2"])
    }

    @Test func `managers that share a queue share its limits`() async {
        let other = OperationManager()
        other.operationQueue = queue
        manager.maximumOperationsPerOrigin = 1
        #expect(other.maximumOperationsPerOrigin == 1)
        manager.enqueue(operation("1"))
        other.enqueue(operation("2"))
        #expect(world.server.waitUntilReached("held"))
        await world.settle()
        #expect(requested == ["1"])
        world.server.release("held")
        #expect(await ends.reaches(2))
    }

    @Test func `only the operations of the manager that has no network are held back`() async {
        let other = OperationManager()
        other.operationQueue = queue
        manager.isOffline = true
        #expect(!other.isOffline)
        let away = [operation("1"), operation("2")]
        for one in away { one.request.url = URL(string: "http://elsewhere.invalid/") }
        manager.enqueue(away[0])
        other.enqueue(away[1])
        #expect(await ends.reaches(1))
        #expect(ends.all == ["2"] && reasons() == [.offline])
        // Taken along to another queue; what was in the old one tries.
        manager.operationQueue = OperationManager().operationQueue
        #expect(manager.isOffline)
        #expect(await ends.reaches(2))
    }

    // MARK: What waits in `start`

    @Test func `what waits is neither ready nor executing, and may be cancelled and failed`() async
    {
        manager.maximumOperationsPerOrigin = 1
        let all = ["1", "2", "3", "4"].map { operation($0) }
        all.forEach(manager.enqueue)
        #expect(world.server.waitUntilReached("held"))
        #expect(await waitUntil { all[1...].allSatisfy { !$0.isReady } })
        #expect(all.map(\.isExecuting) == [true, false, false, false])
        // It ends at once, also in a suspended queue.
        queue.isSuspended = true
        all[2].cancel()
        #expect(await ends.reaches(1))
        all[1].fail(with: URLError(.timedOut))
        #expect(await ends.reaches(2))
        #expect(ends.all == ["3", "2"])
        #expect(all[1].errorCode == .timedOut && all[2].errorCode == .cancelled)
        queue.isSuspended = false
        world.server.release("held")
        #expect(await ends.reaches(4))
        #expect(requested == ["1", "4"])
    }

    @Test func `in a suspended queue nobody begins who waited for a place`() async {
        manager.maximumOperationsPerOrigin = 1
        let all = ["1", "2"].map { operation($0) }
        all.forEach(manager.enqueue)
        #expect(world.server.waitUntilReached("held"))
        queue.isSuspended = true
        world.server.release("held", count: 1)
        #expect(await ends.reaches(1))
        await world.settle()
        #expect(requested == ["1"] && reasons() == [.suspended])
        queue.isSuspended = false
        #expect(world.server.waitUntilReached("held", count: 2))
        world.server.release("held")
        #expect(await ends.reaches(2))
    }

    @Test func `what waits is moved by its priority`() async {
        manager.maximumOperationsPerOrigin = 1
        let all = ["1", "2", "3"].map { operation($0) }
        all.forEach(manager.enqueue)
        #expect(world.server.waitUntilReached("held"))
        all[2].queuePriority = .high
        world.server.release("held", count: 1)
        #expect(world.server.waitUntilReached("held", count: 2))
        #expect(requested == ["1", "3"])
        world.server.release("held")
        #expect(await ends.reaches(3))
    }

    @Test func `a late priority keeps the age among operations of that priority`() async {
        manager.maximumOperationsPerOrigin = 1
        let all = [operation("1"), operation("2"), operation("3", .high)]
        all.forEach(manager.enqueue)
        #expect(world.server.waitUntilReached("held"))
        all[1].queuePriority = .high
        world.server.release("held", count: 1)
        #expect(world.server.waitUntilReached("held", count: 2))
        #expect(requested == ["1", "2"])
        world.server.release("held")
        #expect(await ends.reaches(3))
    }

    @Test func `an operation that is added to the queue itself keeps to the limits`() async {
        manager.maximumOperationsPerOrigin = 1
        let all = ["1", "2"].map { operation($0) }
        for one in all { queue.take(one) }
        #expect(world.server.waitUntilReached("held"))
        await world.settle()
        #expect(requested == ["1"] && reasons() == [nil, .originLimit])
        world.server.release("held")
        #expect(await ends.reaches(2))
    }

    // MARK: Operations of other classes

    @Test func `a block counts in the width, and waits for its turn`() async {
        manager.setMaxConcurrentOperationCount(5, ofGroup: "one")
        queue.maxConcurrentOperationCount = 1
        manager.enqueue(operation("1"))
        let block = block("block")
        queue.take(block)
        manager.enqueue(operation("2"))
        #expect(world.server.waitUntilReached("held"))
        await world.settle()
        #expect(ends.all.isEmpty && queue.operations.contains(block) && requested == ["1"])
        world.server.release("held", count: 1)
        #expect(await ends.reaches(2))
        #expect(Set(ends.all) == ["1", "block"])
        #expect(world.server.waitUntilReached("held", count: 2))
        world.server.release("held")
        #expect(await ends.reaches(3))
        await world.empties(queue)
    }

    @Test func `a block keeps no place from what it waits for`() async {
        manager.maximumOperationsPerOrigin = 5
        queue.maxConcurrentOperationCount = 1
        let (first, second) = (block("block"), operation("1"))
        first.addDependency(second)
        queue.take(first)
        manager.enqueue(second)
        world.server.release("held")
        #expect(await ends.reaches(2))
        #expect(Set(ends.all) == ["1", "block"])
        await world.empties(queue)
    }

    @Test func `a block that is cancelled while it waits ends, and gives its turn to the next`()
        async
    {
        let gone = Signal()
        manager.maximumOperationsPerOrigin = 5
        queue.maxConcurrentOperationCount = 1
        let first = operation("1")
        manager.enqueue(first)
        do {
            let sentinel = Sentinel(gone)
            let cancelled = BlockOperation { withExtendedLifetime(sentinel) {} }
            queue.take(cancelled)
            queue.take(block("block"))
            cancelled.cancel()
        }
        await gone.wait(for: 1, "the block to be freed")
        #expect(world.server.waitUntilReached("held"))
        #expect(ends.all.isEmpty)
        world.server.release("held")
        #expect(await ends.reaches(2))
        await world.empties(queue)
    }

    @Test func `blocks that run when the first limit comes count, and those that wait go on`()
        async
    {
        queue.maxConcurrentOperationCount = 2
        let hold = LifeHold()
        queue.addOperation { hold.stop() }
        await hold.isHeld.wait(for: 1, "the block")
        manager.enqueue(operation("1"))
        #expect(world.server.waitUntilReached("held"))
        queue.take(block("block"))
        manager.enqueue(operation("2"))
        manager.maximumOperationsPerOrigin = 5
        await world.settle()
        #expect(ends.all.isEmpty && requested == ["1"] && queue.operationCount == 4)
        hold.release()
        #expect(await ends.reaches(1))
        #expect(ends.all == ["block"])
        world.server.release("held")
        #expect(await ends.reaches(3))
        await world.empties(queue)
    }
}
