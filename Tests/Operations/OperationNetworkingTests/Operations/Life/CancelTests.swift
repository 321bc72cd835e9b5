import TestSupport

@testable import OperationNetworking

/// Wounds 12, 13 and 28: wherever a cancel falls, there is one end, -999, and nothing left over.
@Suite("Cancelling", .timeLimit(.minutes(5)))
struct CancelTests {
    private let world = TestWorld()
    private var queue: OperationQueue { world.queue }

    @Test func `queued behind another, which goes on`() async {
        let first = world.operation(world.gate("first"))
        let firstEnd = first.endSignal()
        let second = world.operation()
        let end = second.endSignal()
        queue.take(first, second)
        await world.reached("first")
        second.cancel()
        world.server.release("first")
        await firstEnd.wait()
        await world.expectOneEnd(second, end, requests: 1)
        #expect(first.error == nil && first.responseString == "hello world")
    }

    @Test func `between start and connection`() async {
        let hold = await world.holdThread()
        let operation = world.operation()
        let end = operation.endSignal()
        operation.start()
        operation.cancel()
        #expect(!operation.isFinished && operation.isExecuting)
        hold.release()
        await world.expectOneEnd(operation, end, requests: 0)
        #expect(world.server.statistics.connectionsAccepted == 0)
    }

    @Test func `before the head of the answer`() async {
        let operation = world.operation(world.gate("head"))
        let end = operation.endSignal()
        queue.take(operation)
        await world.reached("head")
        operation.cancel()
        await world.seesTheClose()
        await world.expectOneEnd(operation, end, requests: 1)
        #expect(operation.response == nil)
    }

    @Test func `with every byte arrived and the network thread held, success never wins`() async {
        let path = world.gate("last")
        for turn in 1...20 {
            let operation = world.operation(path)
            let end = operation.endSignal()
            operation.start()
            await world.reached("last", count: turn)
            let hold = await world.holdThread()
            world.server.release("last", count: 1)
            await world.sees("the last byte") { $0.inFlight == 0 }
            operation.cancel()
            hold.release()
            await world.expectOneEnd(operation, end, requests: turn)
        }
    }

    @Test(arguments: [LifeOperation.Moment.head, .data, .loaded])
    func `while the connection tells its`(moment: LifeOperation.Moment) async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.at(moment) { [unowned operation] in operation.cancel() }
        queue.take(operation)
        await world.expectOneEnd(operation, end, requests: 1)
    }

    @Test(arguments: [LifeOperation.Moment.head, .data, .loaded])
    func `from another thread while the connection tells its`(
        moment: LifeOperation.Moment
    ) async {
        let hold = LifeHold()
        let operation = world.operation()
        let end = operation.endSignal()
        operation.at(moment) { hold.stop() }
        queue.take(operation)
        await hold.isHeld.wait(for: 1, "the connection's word")
        operation.cancel()
        #expect(!operation.isFinished)
        hold.release()
        await world.expectOneEnd(operation, end, requests: 1)
    }

    @Test func `before a failure is heard of, the cancel counts and not the failure`() async {
        world.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        let hold = LifeHold()
        let operation = world.operation("/reset")
        let end = operation.endSignal()
        operation.at(.failed) { hold.stop() }
        queue.take(operation)
        await hold.isHeld.wait(for: 1, "the failure")
        operation.cancel()
        hold.release()
        await world.expectOneEnd(operation, end)
    }

    @Test func `an upload stops, and the server sees it`() async {
        world.server.add("/upload", beforeBody: true) { _ in
            ScriptedResponse([.wait(gate: "upload"), .readBody, .bytes(ScriptedResponse.head(204))])
        }
        var request = world.request("/upload")
        request.httpMethod = "POST"
        request.httpBody = Data(count: 64 << 20)
        let operation = LifeOperation(request: request)
        operation.networkThread = world.thread
        let end = operation.endSignal()
        queue.take(operation)
        await world.reached("upload")
        operation.cancel()
        await end.wait()
        world.server.release("upload")
        await world.seesTheClose()
        await world.expectOneEnd(operation, end, requests: 1)
        #expect(world.server.requests.first?.bodyIsComplete == false)
    }
}
