import TestSupport

@testable import OperationNetworking

@Suite("Pausing and resuming", .timeLimit(.minutes(5)))
struct PauseTests {
    private let room: LifeRoom
    private let queue = OperationQueue()

    init() throws {
        room = try LifeRoom()
        queue.maxConcurrentOperationCount = 1
    }

    private func expectSuccess(
        _ operation: LifeOperation, _ end: Signal, requests: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await end.wait(sourceLocation: sourceLocation)
        await room.empties(queue)
        await MainQueue.settle()
        #expect(end.count == 1, sourceLocation: sourceLocation)
        #expect(operation.error == nil, sourceLocation: sourceLocation)
        #expect(operation.responseString == "hello world", sourceLocation: sourceLocation)
        #expect(operation.totalBytesRead == 11, sourceLocation: sourceLocation)
        #expect(room.server.requests.count == requests, sourceLocation: sourceLocation)
    }

    private func expectCancelled(
        _ operation: LifeOperation, _ end: Signal,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await end.wait(sourceLocation: sourceLocation)
        await room.empties(queue)
        await MainQueue.settle()
        #expect(end.count == 1, sourceLocation: sourceLocation)
        operation.expectCancelled(sourceLocation: sourceLocation)
    }

    // MARK: Before the queue has started it

    @Test func `paused before its queue started it: it waits, the next one runs`() async {
        queue.isSuspended = true
        let waiting = room.operation()
        let end = waiting.endSignal()
        let next = room.operation()
        let nextEnd = next.endSignal()
        queue.take(waiting, next)
        waiting.pause()
        queue.isSuspended = false
        await nextEnd.wait()
        #expect(waiting.isPaused && !waiting.isReady && queue.operations.contains(waiting))
        #expect(room.server.requests.count == 1)
        waiting.resume()
        await expectSuccess(waiting, end, requests: 2)
    }

    @Test func `resumed before its queue started it: the queue starts it, within its limit`()
        async
    {
        let running = room.operation(room.gate("running"))
        let runningEnd = running.endSignal()
        let second = room.operation()
        let end = second.endSignal()
        queue.take(running, second)
        await room.reached("running")
        second.pause()
        second.resume()
        await room.settle()
        #expect(second.isReady && !second.isExecuting && room.server.requests.count == 1)
        room.server.release("running")
        await runningEnd.wait()
        await expectSuccess(second, end, requests: 2)
        #expect(room.server.statistics.peakInFlight == 1)
    }

    @Test func `paused unstarted and cancelled: its queue ends it`() async {
        queue.isSuspended = true
        let operation = room.operation()
        let end = operation.endSignal()
        queue.take(operation)
        operation.pause()
        operation.cancel()
        queue.isSuspended = false
        await expectCancelled(operation, end)
        #expect(room.server.requests.isEmpty)
    }

    @Test func `paused unstarted while the queue runs, and cancelled: its queue ends it`() async {
        let operation = room.operation()
        let end = operation.endSignal()
        operation.pause()
        queue.take(operation)
        await room.settle()
        #expect(operation.isPaused && end.count == 0)
        operation.cancel()
        await expectCancelled(operation, end)
    }

    @Test func `what waits for a paused and cancelled operation goes on`() async {
        let paused = room.operation()
        let end = paused.endSignal()
        let dependent = room.operation()
        let dependentEnd = dependent.endSignal()
        dependent.addDependency(paused)
        paused.pause()
        queue.take(paused, dependent)
        paused.cancel()
        await expectCancelled(paused, end)
        await expectSuccess(dependent, dependentEnd, requests: 1)
    }

    // MARK: Without a queue

    @Test func `never started: resume makes it ready, start starts it`() async {
        let operation = room.operation()
        let end = operation.endSignal()
        operation.pause()
        operation.resume()
        await room.settle()
        #expect(operation.isReady && !operation.isExecuting && room.server.requests.isEmpty)
        operation.start()
        await expectSuccess(operation, end, requests: 1)
    }

    @Test func `started, paused and cancelled: it ends by itself`() async {
        let operation = room.operation(room.gate("paused", after: 5))
        let end = operation.endSignal()
        operation.start()
        await room.reached("paused")
        operation.pause()
        await room.serverSeesTheClose()
        #expect(operation.isPaused && operation.error == nil && end.count == 0)
        operation.cancel()
        await expectCancelled(operation, end)
        operation.resume()
        #expect(operation.isFinished)
    }

    @Test func `in a queue, running, paused and cancelled: it ends and frees its place`() async {
        let operation = room.operation(room.gate("queued", after: 5))
        let end = operation.endSignal()
        let next = room.operation()
        let nextEnd = next.endSignal()
        queue.take(operation, next)
        await room.reached("queued")
        operation.pause()
        await room.serverSeesTheClose()
        operation.cancel()
        await expectCancelled(operation, end)
        await nextEnd.wait()
        #expect(next.error == nil)
    }

    /// A queue may call `start` just when somebody pauses; it will not call it again.
    @Test func `a start that came while it was paused counts: resume begins the run`() async {
        let operation = room.operation()
        let end = operation.endSignal()
        operation.pause()
        operation.start()
        #expect(operation.isPaused)
        operation.resume()
        await expectSuccess(operation, end, requests: 1)
    }

    @Test func `a start that came while it was paused counts: cancel ends it`() async {
        let operation = room.operation()
        let end = operation.endSignal()
        operation.pause()
        operation.start()
        operation.cancel()
        await expectCancelled(operation, end)
        #expect(room.server.requests.isEmpty)
    }
}
