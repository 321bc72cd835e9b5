import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A cancel from inside the caller's own blocks and observers (wound 12).
@Suite("Cancelling from inside", .timeLimit(.minutes(5)))
struct CancelInsideTests {
    private let world = TestWorld()
    private var queue: OperationQueue { world.queue }

    @Test(arguments: [0, 1])
    func `the redirect block, for the first request and for a redirect`(turn: Int) async {
        let operation = world.operation("/redirect")
        let end = operation.endSignal()
        let calls = Signal()
        operation.setRedirectResponseBlock { [unowned operation] _, request, _ in
            if calls.count == turn { operation.cancel() }
            calls.fire()
            return request
        }
        queue.take(operation)
        await world.expectOneEnd(operation, end)
        // The answer may have been there already when the cancel was made.
        #expect(calls.count > turn && world.server.requests.count <= 2)
    }

    @Test(arguments: [true, false])
    func `the challenge block, whether it answers or not`(answers: Bool) async {
        world.server.add("/secret") { _ in
            .status(401, headers: [("WWW-Authenticate", "Basic realm=\"test\"")])
        }
        let operation = world.operation("/secret")
        let end = operation.endSignal()
        operation.setWillSendRequestForAuthenticationChallengeBlock {
            [unowned operation] _, challenge in
            operation.cancel()
            if answers { challenge.sender?.continueWithoutCredential(for: challenge) }
        }
        queue.take(operation)
        await world.expectOneEnd(operation, end)
        #expect(world.server.requests.count == 1)
    }

    @Test func `the download progress block, on main`() async {
        let operation = world.operation(world.gate("progress", after: 5))
        let end = operation.endSignal()
        operation.setDownloadProgressBlock { [unowned operation] _, _, _ in operation.cancel() }
        queue.take(operation)
        await world.sees("a connection") { $0.connectionsAccepted == 1 }
        await end.wait()
        await world.seesTheClose()
        await world.expectOneEnd(operation, end)
    }

    @Test func `the upload progress block, on main`() async {
        world.server.add("/upload") { _ in
            ScriptedResponse([.wait(gate: "upload"), .bytes(ScriptedResponse.head(204))])
        }
        var request = world.request("/upload")
        request.httpMethod = "POST"
        request.httpBody = Data(count: 1 << 20)
        let operation = LifeOperation(request: request)
        operation.networkThread = world.thread
        let end = operation.endSignal()
        operation.setUploadProgressBlock { [unowned operation] _, _, _ in operation.cancel() }
        queue.take(operation)
        await end.wait()
        await world.seesTheClose()
        await world.expectOneEnd(operation, end)
    }

    @Test func `the cache block`() async {
        let operation = world.operation("/cacheable")
        world.server.add("/cacheable") { _ in
            .text("hello", headers: [("Cache-Control", "max-age=600")])
        }
        let end = operation.endSignal()
        let asked = Signal()
        operation.setCacheResponseBlock { [unowned operation] _, cached in
            asked.fire()
            operation.cancel()
            return cached
        }
        queue.take(operation)
        await end.wait()
        await world.empties(queue)
        #expect(end.count == 1)
        if asked.count > 0 { operation.expectCancelled() }
    }

    @Test func `the start notification`() async {
        let operation = world.operation(world.gate("noted"))
        let end = operation.endSignal()
        let token = NotificationCenter.default.addObserver(
            forName: .networkingOperationDidStart, object: operation, queue: nil
        ) { [unowned operation] _ in operation.cancel() }
        defer { NotificationCenter.default.removeObserver(token) }
        queue.take(operation)
        await world.expectOneEnd(operation, end)
    }

    @Test func `the completion block and the finish notification: too late, no second end`() async {
        let operation = world.operation()
        let end = Signal()
        operation.completionBlock = { [unowned operation] in
            operation.cancel()
            end.fire()
        }
        let token = NotificationCenter.default.addObserver(
            forName: .networkingOperationDidFinish, object: operation, queue: nil
        ) { [unowned operation] _ in operation.cancel() }
        defer { NotificationCenter.default.removeObserver(token) }
        queue.take(operation)
        await end.wait()
        await world.empties(queue)
        await MainQueue.settle()
        #expect(end.count == 1 && operation.error == nil && !operation.isCancelled)
        #expect(operation.responseString == "hello world")
    }

    /// What a run with a pause and a resume announces before its end, by place.
    @Test(arguments: 0..<8, [true, false])
    func `each announcement, queued and not`(place: Int, isQueued: Bool) async {
        let operation = world.operation(world.gate("announced"))
        let end = operation.endSignal()
        let reported = Signal()
        operation.stateObserver = { [unowned operation] announcement in
            defer { reported.fire() }
            if reported.count == place { operation.cancel() }
        }
        if isQueued { queue.take(operation) } else { operation.start() }
        await reported.wait(for: 2, "the start")
        operation.pause()
        operation.resume()
        await world.expectOneEnd(operation, end)
        #expect(!operation.isPaused && !operation.isReady)
    }

    @Test(arguments: 0..<4)
    func `each announcement of a pause before the start`(place: Int) async {
        let operation = world.operation()
        let end = operation.endSignal()
        let reported = Signal()
        operation.stateObserver = { [unowned operation] _ in
            defer { reported.fire() }
            if reported.count == place { operation.cancel() }
        }
        queue.isSuspended = true
        queue.take(operation)
        operation.pause()
        operation.resume()
        queue.isSuspended = false
        await world.expectOneEnd(operation, end)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `the announcements of the end: it is over already`() async {
        let operation = world.operation()
        let end = operation.endSignal()
        operation.stateObserver = { [unowned operation] announcement in
            if operation.isFinished, announcement.keyPath != "isCancelled" { operation.cancel() }
        }
        queue.take(operation)
        await end.wait()
        await world.empties(queue)
        await MainQueue.settle()
        #expect(end.count == 1 && operation.error == nil && !operation.isCancelled)
    }
}
