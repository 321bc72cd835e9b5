import TestSupport

@testable import OperationNetworking

@Suite("Pausing and resuming", .timeLimit(.minutes(5)))
struct PauseTests {
    private let world = TestWorld()
    private var queue: OperationQueue { world.queue }

    private func expectCancelled(
        _ operation: LifeOperation, _ end: Signal,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await end.wait(sourceLocation: sourceLocation)
        await world.empties(queue)
        await MainQueue.settle()
        #expect(end.count == 1, sourceLocation: sourceLocation)
        operation.expectCancelled(sourceLocation: sourceLocation)
    }

    // MARK: Before the queue has started it

    @Test func `paused before its queue started it: it waits, the next one runs`() async {
        queue.isSuspended = true
        let waiting = world.operation()
        let end = waiting.endSignal()
        let next = world.operation()
        let nextEnd = next.endSignal()
        queue.take(waiting, next)
        waiting.pause()
        queue.isSuspended = false
        await nextEnd.wait()
        #expect(waiting.isPaused && !waiting.isReady && queue.operations.contains(waiting))
        #expect(world.server.requests.count == 1)
        waiting.resume()
        await world.expectSuccess(waiting, end, requests: 2)
    }

    @Test func `resumed before its queue started it: the queue starts it, within its limit`()
        async
    {
        let running = world.operation(world.gate("running"))
        let runningEnd = running.endSignal()
        let second = world.operation()
        let end = second.endSignal()
        queue.take(running, second)
        await world.reached("running")
        second.pause()
        second.resume()
        await world.settle()
        #expect(second.isReady && !second.isExecuting && world.server.requests.count == 1)
        world.server.release("running")
        await runningEnd.wait()
        await world.expectSuccess(second, end, requests: 2)
        #expect(world.server.statistics.peakInFlight == 1)
    }

    @Test func `paused unstarted and cancelled: its queue ends it`() async {
        queue.isSuspended = true
        let operation = world.operation()
        let end = operation.endSignal()
        queue.take(operation)
        operation.pause()
        operation.cancel()
        queue.isSuspended = false
        await expectCancelled(operation, end)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `paused unstarted while the queue runs, and cancelled: its queue ends it`() async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.pause()
        queue.take(operation)
        await world.settle()
        #expect(operation.isPaused && end.count == 0)
        operation.cancel()
        await expectCancelled(operation, end)
    }

    @Test func `what waits for a paused and cancelled operation goes on`() async {
        let paused = world.operation()
        let end = paused.endSignal()
        let dependent = world.operation()
        let dependentEnd = dependent.endSignal()
        dependent.addDependency(paused)
        paused.pause()
        queue.take(paused, dependent)
        paused.cancel()
        await expectCancelled(paused, end)
        await world.expectSuccess(dependent, dependentEnd, requests: 1)
    }

    // MARK: Without a queue

    @Test func `never started: resume makes it ready, start starts it`() async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.pause()
        operation.resume()
        await world.settle()
        #expect(operation.isReady && !operation.isExecuting && world.server.requests.isEmpty)
        operation.start()
        await world.expectSuccess(operation, end, requests: 1)
    }

    @Test func `started, paused and cancelled: it ends by itself`() async {
        let operation = world.operation(world.gate("paused", after: 5))
        let end = operation.endSignal()
        operation.start()
        await world.reached("paused")
        operation.pause()
        await world.seesTheClose()
        #expect(operation.isPaused && operation.error == nil && end.count == 0)
        operation.cancel()
        await expectCancelled(operation, end)
        operation.resume()
        #expect(operation.isFinished)
    }

    @Test func `in a queue, running, paused and cancelled: it ends and frees its place`() async {
        let operation = world.operation(world.gate("queued", after: 5))
        let end = operation.endSignal()
        let next = world.operation()
        let nextEnd = next.endSignal()
        queue.take(operation, next)
        await world.reached("queued")
        operation.pause()
        await world.seesTheClose()
        operation.cancel()
        await expectCancelled(operation, end)
        await nextEnd.wait()
        #expect(next.error == nil)
    }

    /// A queue may call `start` just when somebody pauses; it will not call it again.
    @Test func `a start that came while it was paused counts: resume begins the run`() async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.pause()
        operation.start()
        #expect(operation.isPaused)
        operation.resume()
        await world.expectSuccess(operation, end, requests: 1)
    }

    @Test func `a start that came while it was paused counts: cancel ends it`() async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.pause()
        operation.start()
        operation.cancel()
        await expectCancelled(operation, end)
        #expect(world.server.requests.isEmpty)
    }
}
