import CurlConnection
import TestSupport

@testable import OperationNetworking

/// One operation's slow or stuck caller is nobody else's trouble (wounds 30 and 73).
@Suite("Busy callers", .timeLimit(.minutes(5)))
struct HTTPBusyTests {
    private let world = TestWorld()

    @Test func `a completion queue that stands still stops no other operation`() async {
        let stuck = DispatchQueue(label: "stuck")
        stuck.suspend()
        let (late, end) = (Signal(), Signal())
        for _ in 0..<3 {
            let operation = world.httpOperation("/ok")
            operation.completionQueue = stuck
            operation.setCompletionBlock(success: { _, _ in late.fire() }, failure: nil)
            operation.start()
        }
        for _ in 0..<100 {
            let operation = world.httpOperation("/ok")
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
        let operation = world.httpOperation("/ok")
        operation.responseSerializer = held
        let end = Signal()
        operation.setCompletionBlock(success: { _, _ in end.fire() }, failure: nil)
        operation.start()
        await held.entered.wait()
        let answered = await onNewThread { () -> Bool in
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
