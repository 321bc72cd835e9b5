import TestSupport

@testable import OperationNetworking

/// Wounds 12, 13 and 28: wherever a cancel falls, there is one end, -999, and nothing left over.
@Suite("Cancelling", .timeLimit(.minutes(5)))
struct CancelTests {
    private let room: LifeRoom
    private let queue = OperationQueue()

    init() throws {
        room = try LifeRoom()
        queue.maxConcurrentOperationCount = 1
    }

    /// Waits for the one end and checks everything about it.
    private func expectOneEnd(
        _ operation: LifeOperation, _ end: Signal, requests: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await end.wait(sourceLocation: sourceLocation)
        await room.empties(queue)
        await room.serverSees("the end of its answers") { $0.inFlight == 0 }
        await room.settle()
        await MainQueue.settle()
        #expect(end.count == 1, sourceLocation: sourceLocation)
        operation.expectCancelled(sourceLocation: sourceLocation)
        if let requests {
            #expect(room.server.requests.count == requests, sourceLocation: sourceLocation)
        }
    }

    @Test func `before it is enqueued`() async {
        let operation = room.operation()
        let end = operation.endSignal()
        operation.cancel()
        queue.take(operation)
        await expectOneEnd(operation, end, requests: 0)
    }

    @Test func `queued in a suspended queue, finished once the queue goes on`() async {
        queue.isSuspended = true
        let operation = room.operation()
        let end = operation.endSignal()
        queue.take(operation)
        operation.cancel()
        await room.settle()
        #expect(!operation.isFinished && end.count == 0)
        queue.isSuspended = false
        await expectOneEnd(operation, end, requests: 0)
    }

    @Test func `queued behind another, which goes on`() async {
        let first = room.operation(room.gate("first"))
        let firstEnd = first.endSignal()
        let second = room.operation()
        let end = second.endSignal()
        queue.take(first, second)
        await room.reached("first")
        second.cancel()
        room.server.release("first")
        await firstEnd.wait()
        await expectOneEnd(second, end, requests: 1)
        #expect(first.error == nil && first.responseString == "hello world")
    }

    @Test func `between start and connection`() async {
        let hold = await room.holdThread()
        let operation = room.operation()
        let end = operation.endSignal()
        operation.start()
        operation.cancel()
        #expect(!operation.isFinished && operation.isExecuting)
        hold.release()
        await expectOneEnd(operation, end, requests: 0)
        #expect(room.server.statistics.connectionsAccepted == 0)
    }

    @Test func `before the head of the answer`() async {
        let operation = room.operation(room.gate("head"))
        let end = operation.endSignal()
        queue.take(operation)
        await room.reached("head")
        operation.cancel()
        await room.serverSeesTheClose()
        await expectOneEnd(operation, end, requests: 1)
        #expect(operation.response == nil)
    }

    @Test func `in the middle of the body`() async {
        let operation = room.operation(room.gate("body", after: 5))
        let end = operation.endSignal()
        let progress = Signal()
        operation.setDownloadProgressBlock { _, _, _ in progress.fire() }
        queue.take(operation)
        await progress.wait(for: 1, "progress")
        operation.cancel()
        await room.serverSeesTheClose()
        await expectOneEnd(operation, end, requests: 1)
        #expect(operation.totalBytesRead == 5 && operation.response != nil)
    }

    @Test func `with every byte arrived and the network thread held, success never wins`() async {
        let path = room.gate("last")
        for turn in 1...20 {
            let operation = room.operation(path)
            let end = operation.endSignal()
            operation.start()
            await room.reached("last", count: turn)
            let hold = await room.holdThread()
            room.server.release("last", count: 1)
            await room.serverSees("the last byte") { $0.inFlight == 0 }
            operation.cancel()
            hold.release()
            await expectOneEnd(operation, end, requests: turn)
        }
    }

    @Test(arguments: [LifeOperation.Moment.head, .data, .loaded])
    func `while the connection tells its`(moment: LifeOperation.Moment) async {
        let operation = room.operation()
        let end = operation.endSignal()
        operation.at(moment) { [unowned operation] in operation.cancel() }
        queue.take(operation)
        await expectOneEnd(operation, end, requests: 1)
    }

    @Test(arguments: [LifeOperation.Moment.head, .data, .loaded])
    func `from another thread while the connection tells its`(
        moment: LifeOperation.Moment
    ) async {
        let hold = LifeHold()
        let operation = room.operation()
        let end = operation.endSignal()
        operation.at(moment) { hold.stop() }
        queue.take(operation)
        await hold.isHeld.wait(for: 1, "the connection's word")
        operation.cancel()
        #expect(!operation.isFinished)
        hold.release()
        await expectOneEnd(operation, end, requests: 1)
    }

    @Test func `before a failure is heard of, the cancel counts and not the failure`() async {
        room.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        let hold = LifeHold()
        let operation = room.operation("/reset")
        let end = operation.endSignal()
        operation.at(.failed) { hold.stop() }
        queue.take(operation)
        await hold.isHeld.wait(for: 1, "the failure")
        operation.cancel()
        hold.release()
        await expectOneEnd(operation, end)
    }

    @Test func `twice, and from many threads at once`() async {
        let path = room.gate("many")
        for turn in 1...10 {
            let operation = room.operation(path)
            let end = operation.endSignal()
            queue.take(operation)
            await room.reached("many", count: turn)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { operation.cancel() } }
            }
            operation.cancel()
            await expectOneEnd(operation, end)
        }
        await room.serverSeesTheClose()
    }

    @Test func `after the end it changes nothing`() async {
        let operation = room.operation()
        let end = operation.endSignal()
        operation.start()
        await end.wait()
        operation.cancel()
        await room.settle()
        await MainQueue.settle()
        #expect(!operation.isCancelled && operation.error == nil && end.count == 1)
        #expect(operation.responseString == "hello world")
    }

    @Test func `all of a queue: each ends once, those that wait and the one that runs`() async {
        let operations = (0..<5).map { _ in room.operation(room.gate("all")) }
        let ends = operations.map { $0.endSignal() }
        for operation in operations { queue.addOperation(operation) }
        await room.reached("all")
        // The queue cancels one after the other: none may end, and let the next start, before all
        // are cancelled.
        let hold = await room.holdThread()
        queue.cancelAllOperations()
        hold.release()
        for (operation, end) in zip(operations, ends) { await expectOneEnd(operation, end) }
        await room.serverSeesTheClose()
        #expect(room.server.requests.count == 1)
    }

    @Test func `an upload stops, and the server sees it`() async {
        room.server.add("/upload", beforeBody: true) { _ in
            ScriptedResponse([.wait(gate: "upload"), .readBody, .bytes(ScriptedResponse.head(204))])
        }
        var request = room.request("/upload")
        request.httpMethod = "POST"
        request.httpBody = Data(count: 64 << 20)
        let operation = LifeOperation(request: request)
        operation.networkThread = room.thread
        let end = operation.endSignal()
        queue.take(operation)
        await room.reached("upload")
        operation.cancel()
        await end.wait()
        room.server.release("upload")
        await room.serverSeesTheClose()
        await expectOneEnd(operation, end, requests: 1)
        #expect(room.server.requests.first?.bodyIsComplete == false)
    }
}
