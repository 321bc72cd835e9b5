import CurlConnection
import TestSupport

@testable import OperationNetworking

/// One operation's slow or stuck caller is nobody else's trouble (wounds 30 and 73).
@Suite("Busy callers", .timeLimit(.minutes(5)))
struct HTTPBusyTests {
    private let room: LifeRoom

    init() throws {
        room = try LifeRoom()
    }

    private func operation(_ path: String) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: room.request(path))
        operation.networkThread = room.thread
        return operation
    }

    @Test func `a completion queue that stands still stops no other operation`() async {
        let stuck = DispatchQueue(label: "stuck")
        stuck.suspend()
        let (late, end) = (Signal(), Signal())
        for _ in 0..<3 {
            let operation = operation("/ok")
            operation.completionQueue = stuck
            operation.setCompletionBlock(success: { _, _ in late.fire() }, failure: nil)
            operation.start()
        }
        for _ in 0..<100 {
            let operation = operation("/ok")
            operation.setCompletionBlock(success: { _, _ in end.fire() }, failure: nil)
            operation.start()
        }
        await end.wait(for: 100, "the hundred others")
        #expect(late.count == 0)
        stuck.resume()
        await late.wait(for: 3, "the three")
    }

    @Test func `while a serializer works, every other call of its operation answers at once`() async
    {
        let held = HeldSerializer()
        let operation = operation("/ok")
        operation.responseSerializer = held
        let end = Signal()
        operation.setCompletionBlock(success: { _, _ in end.fire() }, failure: nil)
        operation.start()
        await held.entered.wait()
        let answered = await aside { () -> Bool in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                operation.cancel()
                operation.pause()
                operation.resume()
                _ = (operation.description, operation.responseString, operation.error)
                _ = (operation.responseData, operation.request, operation.copy())
                operation.completionQueue = nil
                _ = operation.responseSerializer
                done.signal()
            }
            return done.wait(timeout: .now() + patience / 4) == .success
        }
        #expect(answered)
        held.gate.signal()
        await end.wait()
    }
}
