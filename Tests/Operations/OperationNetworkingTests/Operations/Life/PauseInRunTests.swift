import TestSupport

@testable import OperationNetworking

/// A pause between any two steps of a run (wounds 14 and 27).
@Suite("Pausing and resuming a run", .timeLimit(.minutes(5)))
struct PauseInRunTests {
    private let room: LifeRoom
    private let queue = OperationQueue()

    init() throws {
        room = try LifeRoom()
        queue.maxConcurrentOperationCount = 1
    }

    private func expectSuccess(
        _ operation: LifeOperation, _ end: Signal, requests: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await end.wait(sourceLocation: sourceLocation)
        await room.empties(queue)
        await MainQueue.settle()
        #expect(end.count == 1, sourceLocation: sourceLocation)
        #expect(operation.error == nil, sourceLocation: sourceLocation)
        #expect(operation.responseString == "hello world", sourceLocation: sourceLocation)
        #expect(operation.totalBytesRead == 11, sourceLocation: sourceLocation)
        if let requests {
            #expect(room.server.requests.count == requests, sourceLocation: sourceLocation)
        }
    }

    @Test func `between start and connection: no request until it is resumed`() async {
        let hold = await room.holdThread()
        let operation = room.operation()
        let end = operation.endSignal()
        operation.start()
        operation.pause()
        hold.release()
        await room.settle()
        #expect(operation.isPaused && room.server.statistics.connectionsAccepted == 0)
        operation.resume()
        await expectSuccess(operation, end, requests: 1)
    }

    @Test func `many pauses and resumes at once make one run`() async {
        let hold = await room.holdThread()
        let operation = room.operation()
        let end = operation.endSignal()
        queue.take(operation)
        for _ in 0..<50 {
            operation.pause()
            operation.pause()
            operation.resume()
            operation.resume()
        }
        hold.release()
        await expectSuccess(operation, end, requests: 1)
    }

    @Test(arguments: [nil, 0, 5])
    func `at the gate before the head, after it, and in the body`(count: Int?) async {
        let operation = room.operation(room.gate("seam", after: count))
        let end = operation.endSignal()
        queue.take(operation)
        await room.reached("seam")
        operation.pause()
        await room.serverSeesTheClose()
        #expect(operation.isPaused && end.count == 0 && queue.operationCount == 1)
        room.server.release("seam")
        operation.resume()
        await expectSuccess(operation, end, requests: 2)
    }

    @Test(arguments: [LifeOperation.Moment.head, .data])
    func `while the connection tells its`(moment: LifeOperation.Moment) async {
        let operation = room.operation()
        let end = operation.endSignal()
        operation.at(moment) { [unowned operation] in
            operation.pause()
            operation.resume()
        }
        queue.take(operation)
        await expectSuccess(operation, end)
        #expect(room.server.requests.count <= 2)
    }

    @Test func `a result that arrived before the pause took effect wins`() async {
        let hold = LifeHold()
        let operation = room.operation()
        let end = operation.endSignal()
        operation.at(.loaded) { hold.stop() }
        queue.take(operation)
        await hold.isHeld.wait(for: 1, "the result")
        operation.pause()
        #expect(operation.isPaused)
        hold.release()
        await expectSuccess(operation, end, requests: 1)
        #expect(operation.isFinished && !operation.isPaused)
    }

    @Test func `a result that arrived before a pause and a resume wins, too`() async {
        let hold = LifeHold()
        let operation = room.operation()
        let end = operation.endSignal()
        operation.at(.loaded) { hold.stop() }
        queue.take(operation)
        await hold.isHeld.wait(for: 1, "the result")
        operation.pause()
        operation.resume()
        hold.release()
        await expectSuccess(operation, end, requests: 1)
    }

    @Test func `with every byte arrived: finished, or resumable to the same result`() async {
        let path = room.gate("bytes")
        for turn in 1...10 {
            let operation = room.operation(path)
            let end = operation.endSignal()
            operation.start()
            await room.reached("bytes", count: turn)
            let hold = await room.holdThread()
            room.server.release("bytes", count: 1)
            await room.serverSees("the last byte") { $0.inFlight == 0 }
            operation.pause()
            hold.release()
            await room.settle()
            if operation.isPaused {
                room.server.add(path) { _ in .text("hello world") }
                operation.resume()
            }
            await end.wait()
            #expect(operation.error == nil && operation.responseString == "hello world")
            _ = room.gate("bytes")
        }
    }
}
