import TestSupport

@testable import OperationNetworking

@Suite("Starting", .timeLimit(.minutes(5)))
struct StartTests {
    private let world = TestWorld()

    @Test func `start returns before there is a connection`() async {
        let hold = await world.holdThread()
        let operation = world.operation()
        let end = operation.endSignal()
        operation.start()
        #expect(operation.isExecuting && !operation.isReady && !operation.isFinished)
        #expect(world.server.statistics.connectionsAccepted == 0)
        hold.release()
        await end.wait()
        #expect(operation.isFinished && operation.error == nil)
        #expect(operation.isAsynchronous)
    }

    @Test func `start of an operation with unfinished dependencies does nothing`() async {
        let first = world.operation()
        let second = world.operation()
        second.addDependency(first)
        let log = Log<StateAnnouncement>()
        second.stateObserver = { log.add($0) }
        second.start()
        await world.settle()
        #expect(!second.isReady && !second.isExecuting && !second.isFinished)
        #expect(log.all == [] && world.server.requests.isEmpty)
        let ends = [first.endSignal(), second.endSignal()]
        first.start()
        await ends[0].wait()
        #expect(second.isReady && !second.isExecuting)
        second.start()
        await ends[1].wait()
        #expect(second.error == nil && world.server.requests.count == 2)
    }

    @Test func `a start that its dependencies refused leaves the operation to its queue`() async {
        let queue = OperationQueue()
        queue.isSuspended = true
        let first = world.operation()
        let second = world.operation()
        second.addDependency(first)
        second.start()
        second.pause()
        second.resume()
        #expect(!second.isExecuting && !second.isPaused)
        let end = second.endSignal()
        queue.take(second, first)
        queue.isSuspended = false
        await end.wait()
        await world.empties(queue)
        #expect(second.error == nil && world.server.requests.count == 2)
    }

    @Test func `a start while paused leaves one that waits for others to a later start`() async {
        let first = world.operation()
        let second = world.operation()
        second.addDependency(first)
        second.pause()
        second.start()
        second.resume()
        await world.settle()
        #expect(!second.isExecuting && !second.isPaused && world.server.requests.isEmpty)
        let ends = [first.endSignal(), second.endSignal()]
        first.start()
        await ends[0].wait()
        second.start()
        await ends[1].wait()
        #expect(second.error == nil && world.server.requests.count == 2)
    }

    @Test func `one that failed while it was paused unstarted ends when its queue starts it`()
        async
    {
        await #expect(processExitsWith: .success) {
            let world = TestWorld()
            let (queue, ends) = (OperationQueue(), Log<URLError.Code?>())
            queue.isSuspended = true
            for isCancelled in [false, true, false] {
                let operation = world.operation()
                operation.completionBlock = { [weak operation] in
                    ends.add((operation?.error as? URLError)?.code)
                }
                queue.take(operation)
                operation.pause()
                operation.fail(with: URLError(.dataLengthExceedsMaximum))
                await world.settle()
                try #require(!operation.isFinished && !operation.isPaused)
                operation.fail(with: URLError(.unknown))
                if isCancelled { operation.cancel() }
            }
            queue.isSuspended = false
            try #require(await ends.reaches(3))
            await world.empties(queue)
            let codes = ends.all.map { $0 ?? .unknown }.sorted { $0.rawValue < $1.rawValue }
            try #require(
                codes == [.dataLengthExceedsMaximum, .dataLengthExceedsMaximum, .cancelled])
            try #require(world.server.requests.isEmpty)
        }
    }

    @Test func `one that failed while it was paused unstarted ends when it is started`() async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.pause()
        operation.fail(with: URLError(.dataLengthExceedsMaximum))
        await world.settle()
        operation.pause()
        operation.resume()
        operation.start()
        await end.wait()
        #expect((operation.error as? URLError)?.code == .dataLengthExceedsMaximum)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a result that meets one which nobody has started leaves no trace`() async {
        let operation = world.operation()
        operation.pause()
        operation.runThread.perform(inModes: [.common]) {
            operation.complete(with: URLError(.unknown))
        }
        await world.settle()
        #expect(operation.error == nil && operation.isPaused)
        let end = operation.endSignal()
        operation.resume()
        operation.start()
        await end.wait()
        #expect(operation.error == nil && operation.responseString == "hello world")
    }

    @Test func `a cancelled operation with unfinished dependencies finishes when started`() async {
        let first = world.operation()
        let second = world.operation()
        second.addDependency(first)
        let end = second.endSignal()
        second.cancel()
        second.start()
        await end.wait()
        second.expectCancelled()
        #expect(!first.isFinished && world.server.requests.isEmpty)
    }

    @Test func `a queue finishes a cancelled operation without waiting for its dependencies`()
        async
    {
        let queue = OperationQueue()
        let first = world.operation()
        let second = world.operation()
        second.addDependency(first)
        let end = second.endSignal()
        queue.addOperation(second)
        second.cancel()
        await end.wait()
        second.expectCancelled()
        await world.empties(queue)
        #expect(!first.isFinished && world.server.requests.isEmpty)
    }

    @Test func `two threads that start the same operation make one run`() async {
        for _ in 0..<20 {
            let operation = world.operation()
            let end = operation.endSignal()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { operation.start() } }
            }
            await end.wait()
            #expect(operation.error == nil)
        }
        await MainQueue.settle()
        #expect(world.server.requests.count == 20)
    }

    @Test func `an operation in a mode nobody runs never starts, yet a cancel ends it`() async {
        let operation = world.operation()
        operation.runLoopModes = [RunLoop.Mode("nobody")]
        let end = operation.endSignal()
        operation.start()
        await world.settle()
        #expect(operation.isExecuting && world.server.statistics.connectionsAccepted == 0)
        operation.cancel()
        await end.wait()
        operation.expectCancelled()
        #expect(world.server.statistics.connectionsAccepted == 0)
    }

    @Test func `in a mode nobody runs a pause and a cancel end it too, and its queue goes on`()
        async
    {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let stuck = world.operation()
        stuck.runLoopModes = [RunLoop.Mode("nobody")]
        let end = stuck.endSignal()
        let next = world.operation()
        let nextEnd = next.endSignal()
        queue.take(stuck, next)
        stuck.pause()
        stuck.cancel()
        await end.wait()
        await nextEnd.wait()
        await world.empties(queue)
        stuck.expectCancelled()
        #expect(next.error == nil && world.server.requests.count == 1)
    }
}
