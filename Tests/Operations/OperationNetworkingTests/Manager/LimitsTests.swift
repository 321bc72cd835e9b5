import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

@Suite("Limits by origin and group, and why an operation waits", .timeLimit(.minutes(2)))
struct LimitsTests {
    private let world = TestWorld()
    private let manager = OperationManager()

    init() {
        world.server.add("/held", isPrefix: true) { _ in
            ScriptedResponse([
                .wait(gate: "held"),
                .bytes(ScriptedResponse.head(200, [("Content-Length", "0")])),
            ])
        }
    }

    private func operation(
        _ path: String = "/held", _ priority: Operation.QueuePriority = .normal,
        _ ends: Log<String>? = nil
    ) -> URLConnectionOperation {
        let operation = world.plainOperation(path)
        operation.queuePriority = priority
        operation.configuration.httpMaximumConnectionsPerHost = 100
        if let ends { operation.completionBlock = { ends.add(path) } }
        return operation
    }

    private func reasons() -> [QueuedOperation.Reason?] { manager.snapshot().map(\.reason) }

    @Test func `no more than the limit of an origin runs; the next by priority`() async {
        let ends = Log<String>()
        manager.maximumOperationsPerOrigin = 2
        for name in ["a", "b"] { manager.enqueue(operation("/held/\(name)", .normal, ends)) }
        #expect(world.server.waitUntilReached("held", count: 2))
        manager.enqueue(operation("/held/low", .low, ends))
        manager.enqueue(operation("/held/high", .high, ends))
        #expect(reasons() == [nil, nil, .originLimit, .originLimit])
        world.server.release("held", count: 1)
        #expect(world.server.waitUntilReached("held", count: 3))
        #expect(world.server.requests.last?.path == "/held/high")
        world.server.release("held")
        #expect(await ends.reaches(4))
        #expect(manager.operationQueue.operationCount == 0 || reasons().isEmpty)
    }

    @Test func `a group has a limit and can be suspended; others go on`() async {
        let ends = Log<String>()
        manager.setMaxConcurrentOperationCount(1, ofGroup: "thumbnails")
        manager.enqueue(operation("/held/1", .normal, ends), group: "thumbnails")
        #expect(world.server.waitUntilReached("held"))
        manager.enqueue(operation("/held/2", .normal, ends), group: "thumbnails")
        manager.enqueue(operation("/held/3", .normal, ends))
        #expect(world.server.waitUntilReached("held", count: 2))
        #expect(reasons() == [nil, .groupLimit("thumbnails"), nil])
        manager.setSuspended(true, group: "thumbnails")
        #expect(reasons()[1] == .groupSuspended("thumbnails"))
        world.server.release("held")
        #expect(await ends.reaches(2))
        #expect(reasons() == [.groupSuspended("thumbnails")])
        manager.setSuspended(false, group: "thumbnails")
        #expect(await ends.reaches(3))
        #expect(manager.maxConcurrentOperationCount(ofGroup: "thumbnails") == 1)
    }

    @Test func `every reason is told`() async {
        manager.setMaxConcurrentOperationCount(5, ofGroup: "group")
        manager.maxConcurrentOperationCount = 1
        let first = operation()
        manager.enqueue(first)
        #expect(world.server.waitUntilReached("held"))
        let (second, third, fourth) = (operation(), operation(), operation())
        third.addDependency(first)
        manager.enqueue(second)
        manager.enqueue(third)
        fourth.pause()
        manager.enqueue(fourth)
        #expect(reasons() == [nil, .width(1), .dependencies(1), .paused])
        manager.isSuspended = true
        #expect(reasons()[1] == .suspended)
        manager.isSuspended = false
        world.server.release("held")
        fourth.resume()
        #expect(await waitUntil { self.manager.snapshot().isEmpty })
    }

    @Test func `in a queue without a limit none waits for one`() async {
        let threads = DispatchQueue(label: "held")
        threads.suspend()
        let queue = OperationQueue()
        queue.underlyingQueue = threads
        manager.operationQueue = queue
        #expect(manager.maxConcurrentOperationCount == -1)
        let operation = operation("/ok")
        manager.enqueue(operation)
        #expect(!operation.isExecuting && reasons() == [nil])
        manager.maxConcurrentOperationCount = 3
        #expect(reasons() == [.width(3)])
        threads.resume()
        #expect(await waitUntil { self.manager.snapshot().isEmpty })
    }

    @Test func `what waits for a connection, or for its next try, says so`() async {
        world.server.add("/late") { _ in .status(503, headers: [("Retry-After", "100")]) }
        let turned = TurnableClock()
        let late = operation("/late")
        late.configuration.clock = turned.clock
        var policy = RetryPolicy()
        policy.maximumAttempts = 2
        late.configuration.retryPolicy = policy
        manager.enqueue(late)
        #expect(
            await waitUntil {
                if case .load(.retry) = self.reasons().first ?? nil { true } else { false }
            })
        let (one, two) = (operation(), operation())
        for operation in [one, two] { operation.configuration.httpMaximumConnectionsPerHost = 1 }
        manager.enqueue(one)
        #expect(world.server.waitUntilReached("held"))
        manager.enqueue(two)
        #expect(await waitUntil { self.reasons().last == .load(.connection) })
        world.server.release("held")
        turned.turn(by: 101)
        #expect(await waitUntil { self.manager.snapshot().isEmpty })
        #expect(late.metrics?.retryDecisions.count == 2)
    }

    @Test func `what it waited for before a pause is not why it waits after`() async {
        let isFirst = Locked(true)
        world.server.add("/late") { _ in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst
                ? .status(503, headers: [("Retry-After", "100")])
                : .status(200).after(.wait(gate: "held"))
        }
        let late = operation("/late")
        late.configuration.clock = TurnableClock().clock
        late.configuration.retryPolicy = RetryPolicy()
        manager.enqueue(late)
        let isRetry = { (reason: QueuedOperation.Reason??) in
            if case .load(.retry) = reason ?? nil { true } else { false }
        }
        #expect(await waitUntil { isRetry(self.reasons().first) })
        late.pause()
        #expect(reasons() == [.paused])
        late.resume()
        #expect(world.server.waitUntilReached("held"))
        #expect(reasons() == [nil])
        world.server.release("held")
        #expect(await waitUntil { self.manager.snapshot().isEmpty })
    }

    @Test(arguments: ["9223372036854775807", "99999999999999999999"])
    func `a server may ask for any wait`(_ seconds: String) async {
        world.server.add("/late") { _ in .status(503, headers: [("Retry-After", seconds)]) }
        let late = operation("/late")
        var policy = RetryPolicy()
        policy.maximumRetryAfter = .infinity
        late.configuration.retryPolicy = policy
        manager.enqueue(late)
        #expect(
            await waitUntil {
                if case .load(.retry) = self.reasons().first ?? nil { true } else { false }
            })
        late.cancel()
        #expect(await waitUntil { self.manager.snapshot().isEmpty })
    }

    @Test func `a cancelled one that is held ends, and leaves its place to nobody`() async {
        let ends = Log<String>()
        manager.maximumOperationsPerOrigin = 1
        manager.enqueue(operation("/held/1", .normal, ends))
        #expect(world.server.waitUntilReached("held"))
        let held = operation("/held/2", .normal, ends)
        manager.enqueue(held)
        manager.enqueue(operation("/held/3", .normal, ends))
        held.cancel()
        #expect(await ends.reaches(1))
        #expect(ends.all == ["/held/2"])
        world.server.release("held")
        #expect(await ends.reaches(3))
        #expect(world.server.requests.map(\.path) == ["/held/1", "/held/3"])
    }

    @Test func `a dependency in the same group is never kept from its place by who waits for it`()
        async
    {
        let ends = Log<String>()
        manager.setMaxConcurrentOperationCount(1, ofGroup: "chain")
        world.server.release("held")
        let operations = (0..<20).map { operation("/held/\($0)", .normal, ends) }
        for (later, earlier) in zip(operations.dropLast(), operations.dropFirst()) {
            later.addDependency(earlier)
        }
        for operation in operations { manager.enqueue(operation, group: "chain") }
        #expect(await ends.reaches(20))
        #expect(ends.all == (0..<20).reversed().map { "/held/\($0)" })
    }

    @Test func `the lowest class starts within its age, whatever comes`() async {
        let turned = TurnableClock()
        let ends = Log<String>()
        manager.clock = turned.clock
        manager.priorityAgeingInterval = 10
        manager.maximumOperationsPerOrigin = 1
        manager.enqueue(operation("/held/first", .normal, ends))
        #expect(world.server.waitUntilReached("held"))
        manager.enqueue(operation("/held/low", .veryLow, ends))
        turned.turn(by: 41)
        manager.enqueue(operation("/held/high", .veryHigh, ends))
        world.server.release("held")
        #expect(await ends.reaches(3))
        #expect(world.server.requests.map(\.path) == ["/held/first", "/held/low", "/held/high"])
    }

    @Test(arguments: [29.0, 31])
    func `an age is that at the start: sooner by the time in use of places, at most by a class`(
        seconds: TimeInterval
    ) async {
        let turned = TurnableClock()
        let ends = Log<String>()
        manager.clock = turned.clock
        manager.priorityAgeingInterval = 10
        manager.maximumOperationsPerOrigin = 1
        manager.enqueue(operation("/held/first", .normal, ends))
        #expect(world.server.waitUntilReached("held"))
        manager.enqueue(operation("/held/low", .veryLow, ends))
        turned.turn(by: seconds)
        manager.enqueue(operation("/held/high", .veryHigh, ends))
        world.server.release("held")
        #expect(await ends.reaches(3))
        let isOld = world.server.requests[1].path == "/held/low"
        #expect(isOld == (seconds + 10 >= 40))
    }

    @Test func `without a network what goes elsewhere is held, and what stays here is not`() async {
        let ends = Log<String>()
        manager.isOffline = true
        world.server.release("held")
        manager.enqueue(operation("/held/here", .normal, ends))
        #expect(await ends.reaches(1))
        let away = URLConnectionOperation(
            request: URLRequest(url: URL(fileURLWithPath: "/").appending(path: "x")))
        away.request.url = URL(string: "http://elsewhere.invalid/")
        away.completionBlock = { ends.add("away") }
        manager.enqueue(away)
        #expect(reasons() == [.offline])
        manager.isOffline = false
        #expect(await ends.reaches(2))
    }

    @Test
    func `what is held back is in the queue from the beginning, and the manager knows of it`()
        async
    {
        let ends = Log<String>()
        manager.maximumOperationsPerOrigin = 1
        let all = (1...4).map { operation("/held/\($0)", .normal, ends) }
        all.forEach(manager.enqueue)
        #expect(world.server.waitUntilReached("held"))
        #expect(manager.operationQueue.operations == all)
        #expect(manager.operationQueue.operationCount == 4)
        #expect(manager.operations.map(ObjectIdentifier.init) == all.map(ObjectIdentifier.init))
        // Ended before it may start, while it is paused.
        all[1].pause()
        all[1].fail(with: URLError(.timedOut))
        #expect(await ends.reaches(1))
        #expect(manager.operations.count == 3)
        let isOver = Signal()
        Thread.detachNewThread { [manager] in
            manager.waitUntilAllOperationsAreFinished()
            isOver.fire()
        }
        world.server.release("held", count: 1)
        #expect(await ends.reaches(2))
        #expect(isOver.count == 0)
        manager.cancelAllOperations()
        #expect(await ends.reaches(4))
        await isOver.wait()
        #expect(manager.operations.isEmpty)
        #expect(world.server.requests.count <= 2)
    }

    @Test func `an operation that is cancelled while it is enqueued ends, held or not`() async {
        let ends = Log<String>()
        manager.maximumOperationsPerOrigin = 1
        manager.enqueue(operation("/held/first", .normal, ends))
        #expect(world.server.waitUntilReached("held"))
        for _ in 0..<200 {
            let next = operation("/held/next", .normal, ends)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { self.manager.enqueue(next) }
                group.addTask { next.cancel() }
            }
        }
        #expect(await ends.reaches(200))
        // The queue may hold one for a moment that has ended.
        #expect(manager.operations.count { !$0.isFinished } == 1)
        world.server.release("held")
        #expect(await ends.reaches(201))
    }
}
