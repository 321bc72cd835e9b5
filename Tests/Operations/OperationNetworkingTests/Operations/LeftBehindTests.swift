import CurlConnection
import TestSupport

@testable import OperationNetworking

/// What must neither wait for ever nor be kept for ever: batches that are given up, operations from
/// archives, operations in modes nobody runs (wounds 12 and 15).
@Suite("What is left behind", .timeLimit(.minutes(5)))
struct LeftBehindTests {
    private let world = TestWorld()
    private let gone = Signal()
    private let end = Signal()

    private func sentinelOperation() -> LifeOperation {
        let operation = world.operation()
        operation.userInfo = ["sentinel": Sentinel(gone)]
        return operation
    }

    @Test func `a batch that is never enqueued is freed with its operations`() async {
        do {
            let operations = [sentinelOperation(), sentinelOperation()]
            let batch = URLConnectionOperation.batch(
                of: operations, progress: { _, _ in }, completion: { _ in })
            #expect(batch.count == 3)
        }
        await gone.wait(for: 2, "both operations to be freed")
    }

    @Test func `a batch whose last operation alone is dropped frees the others at their end`() async
    {
        do {
            let operation = sentinelOperation()
            let ended = operation.endSignal()
            _ = URLConnectionOperation.batch(of: [operation], progress: nil, completion: nil)
            operation.start()
            await ended.wait()
        }
        await gone.wait(for: 1, "the operation to be freed")
    }

    @Test(arguments: [true, false])
    func `a completion block replaced after the batch was made does not stop its end`(
        isCleared: Bool
    ) async {
        let operation = world.operation()
        let batch = URLConnectionOperation.batch(of: [operation], progress: nil) { [end] _ in
            end.fire()
        }
        if isCleared {
            operation.completionBlock = nil
        } else {
            operation.completionBlock = {}
        }
        let queue = OperationQueue()
        for operation in batch { queue.take(operation) }
        await end.wait()
        #expect(end.count == 1)
    }

    @Test func `an operation from an archive that is finished lets its dependents run`()
        async throws
    {
        let operation = world.operation()
        operation.cancel()
        await operation.run()
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: operation, requiringSecureCoding: true)
        let copy = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: LifeOperation.self, from: data))
        #expect(copy.isFinished)
        let dependent = BlockOperation { [end] in end.fire() }
        dependent.addDependency(copy)
        #expect(dependent.isReady)
        OperationQueue().take(dependent)
        await end.wait()
    }

    @Test(arguments: [0, 1, 3])
    func `in a mode nobody runs, a cancelled operation is freed after its end`(pauses: Int) async {
        do {
            let operation = sentinelOperation()
            operation.runLoopModes = [RunLoop.Mode("nobody")]
            let ended = operation.endSignal()
            operation.start()
            for _ in 0..<pauses {
                operation.pause()
                operation.resume()
            }
            operation.cancel()
            await ended.wait()
        }
        await gone.wait(for: 1, "the operation to be freed")
    }

    @Test func `a streamed upload that is resumed asks for its body again`() async {
        world.server.add("/unread", beforeBody: true) { _ in
            .text("read").after(.wait(gate: "upload"), .readBody)
        }
        let body = Data(repeating: 65, count: 8 << 20)
        var request = world.request("/unread")
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: body)
        let operation = AgainOperation(request: request)
        operation.networkThread = world.thread
        operation.body = body
        let ended = operation.endSignal()
        let sent = Signal()
        operation.setUploadProgressBlock { _, _, _ in sent.fire() }
        operation.start()
        await sent.wait(for: 1, "a piece of the body")
        operation.pause()
        await world.settle()
        world.server.release("upload")
        operation.resume()
        await ended.wait()
        #expect(operation.error == nil)
        #expect(world.server.requests.last?.bodyLength == Int64(body.count))
    }
}

/// An operation that can make its body again.
private final class AgainOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; the body is set before the start.
    var body = Data()

    override func connection(_ connection: URLConnection, needNewBodyStream request: URLRequest)
        -> InputStream?
    { InputStream(data: body) }
}
