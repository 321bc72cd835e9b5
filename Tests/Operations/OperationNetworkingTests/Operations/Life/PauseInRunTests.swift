import TestSupport

@testable import OperationNetworking

/// A pause between any two steps of a run (wounds 14 and 27).
@Suite("Pausing and resuming a run", .timeLimit(.minutes(5)))
struct PauseInRunTests {
    private let world = TestWorld()
    private var queue: OperationQueue { world.queue }

    @Test func `between start and connection: no request until it is resumed`() async {
        let hold = await world.holdThread()
        let operation = world.operation()
        let end = operation.endSignal()
        operation.start()
        operation.pause()
        hold.release()
        await world.settle()
        #expect(operation.isPaused && world.server.statistics.connectionsAccepted == 0)
        operation.resume()
        await world.expectSuccess(operation, end, requests: 1)
    }

    @Test func `many pauses and resumes at once make one run`() async {
        let hold = await world.holdThread()
        let operation = world.operation()
        let end = operation.endSignal()
        queue.take(operation)
        for _ in 0..<50 {
            operation.pause()
            operation.pause()
            operation.resume()
            operation.resume()
        }
        hold.release()
        await world.expectSuccess(operation, end, requests: 1)
    }

    @Test(arguments: [nil, 0, 5])
    func `at the gate before the head, after it, and in the body`(count: Int?) async {
        let operation = world.operation(world.gate("seam", after: count))
        let end = operation.endSignal()
        queue.take(operation)
        await world.reached("seam")
        operation.pause()
        await world.seesTheClose()
        #expect(operation.isPaused && end.count == 0 && queue.operationCount == 1)
        world.server.release("seam")
        operation.resume()
        await world.expectSuccess(operation, end, requests: 2)
    }

    @Test(arguments: [LifeOperation.Moment.head, .data])
    func `while the connection tells its`(moment: LifeOperation.Moment) async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.at(moment) { [unowned operation] in
            operation.pause()
            operation.resume()
        }
        queue.take(operation)
        await world.expectSuccess(operation, end)
        #expect(world.server.requests.count <= 2)
    }

    @Test func `a result that arrived before the pause took effect wins`() async {
        let hold = LifeHold()
        let operation = world.operation()
        let end = operation.endSignal()
        operation.at(.loaded) { hold.stop() }
        queue.take(operation)
        await hold.isHeld.wait(for: 1, "the result")
        operation.pause()
        #expect(operation.isPaused)
        hold.release()
        await world.expectSuccess(operation, end, requests: 1)
        #expect(operation.isFinished && !operation.isPaused)
    }

    @Test func `a result that arrived before a pause and a resume wins, too`() async {
        let hold = LifeHold()
        let operation = world.operation()
        let end = operation.endSignal()
        operation.at(.loaded) { hold.stop() }
        queue.take(operation)
        await hold.isHeld.wait(for: 1, "the result")
        operation.pause()
        operation.resume()
        hold.release()
        await world.expectSuccess(operation, end, requests: 1)
    }

    @Test func `with every byte arrived: finished, or resumable to the same result`() async {
        let path = world.gate("bytes")
        for turn in 1...10 {
            let operation = world.operation(path)
            let end = operation.endSignal()
            operation.start()
            await world.reached("bytes", count: turn)
            let hold = await world.holdThread()
            world.server.release("bytes", count: 1)
            await world.sees("the last byte") { $0.inFlight == 0 }
            operation.pause()
            hold.release()
            await world.settle()
            if operation.isPaused {
                world.server.add(path) { _ in .text("hello world") }
                operation.resume()
            }
            await end.wait()
            #expect(operation.error == nil && operation.responseString == "hello world")
            _ = world.gate("bytes")
        }
    }
}
