import CurlConnection
import TestSupport

@testable import OperationNetworking

/// What an HTTP operation makes of its answer, and who hears of it (HO-1 to HO-11, HO-17).
@Suite("An HTTP operation", .timeLimit(.minutes(5)))
struct HTTPOperationTests {
    private let world = TestWorld()
    private let end = Signal()

    private func operation(
        _ path: String, _ serializer: HTTPResponseSerializer? = nil
    ) -> HTTPRequestOperation {
        world.httpOperation(path, serializer)
    }

    /// Runs it to its end; which block was called, with what, and how often.
    private func run(_ operation: HTTPRequestOperation) async -> [String] {
        let log = Log<String>()
        let end = end
        operation.setCompletionBlock(
            success: { _, object in
                log.add("success \(object.map { "\($0)" } ?? "nil")")
                end.fire()
            },
            failure: { _, error in
                let error = error as NSError
                log.add("failure \(error.domain) \(error.code)")
                end.fire()
            })
        operation.start()
        await end.wait()
        await MainQueue.settle()
        return log.all
    }

    @Test func `without a serializer of its own the object is the body`() async {
        let operation = operation("/ok")
        #expect(await run(operation).count == 1)
        #expect(operation.responseObject as? Data == operation.responseData)
        #expect(operation.responseData != nil && operation.error == nil)
    }

    @Test func `a JSON answer is an object, made once`() async {
        world.server.add("/json") { _ in .json(#"{"a":{"b":[1,2]}}"#) }
        let serializer = CountingSerializer()
        let operation = operation("/json", serializer)
        #expect(await run(operation).first?.hasPrefix("success") == true)
        let object = operation.responseObject as? [String: Any]
        #expect(object?.keys.sorted() == ["a"])
        #expect(serializer.count == 1)
    }

    @Test func `a status that is not accepted is a failure whose body can be read`() async {
        world.server.add("/gone") { _ in .json(#"{"why":"gone"}"#, status: 404) }
        let operation = operation("/gone", JSONResponseSerializer())
        let domain = NetworkingError.responseSerializationDomain
        #expect(await run(operation) == ["failure \(domain) -1011"])
        #expect((operation.responseObject as? [String: String]) == ["why": "gone"])
        #expect(operation.responseString == #"{"why":"gone"}"#)
    }

    @Test func `an error of the connection keeps the serializer out`() async {
        let serializer = CountingSerializer()
        let operation = operation("/ok", serializer)
        operation.cancel()
        #expect(await run(operation) == ["failure NSURLErrorDomain -999"])
        #expect(operation.responseObject == nil)
        #expect(serializer.count == 0)
    }

    @Test func `another serializer makes the object anew`() async {
        world.server.add("/json") { _ in .json("[1]") }
        let operation = operation("/json")
        _ = await run(operation)
        #expect(operation.responseObject is Data)
        operation.responseSerializer = JSONResponseSerializer()
        #expect(operation.responseObject as? [Int] == [1])
    }

    @Test func `there is no object before the end`() async {
        let path = world.gate("object", after: 5)
        let operation = operation(path)
        let end = operation.endSignal()
        operation.start()
        await world.reached("object")
        #expect(operation.responseObject == nil)
        world.server.release("object")
        await end.wait()
        #expect(operation.responseObject is Data)
    }

    @Test func `a body that went to a stream is success without an object`() async {
        let operation = operation("/ok", JSONResponseSerializer())
        operation.responseSerializer.acceptableContentTypes = nil
        operation.outputStream = OutputDouble(.init())
        #expect(await run(operation) == ["success nil"])
    }

    @Test func `the blocks run on the completion queue, and its group waits for them`() async {
        let serializer = HeldSerializer()
        let operation = operation("/ok", serializer)
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "of the test")
        queue.setSpecific(key: key, value: true)
        let (group, log, all) = (DispatchGroup(), Log<String>(), Signal())
        operation.completionQueue = queue
        operation.completionGroup = group
        operation.setCompletionBlock(
            success: { _, _ in
                log.add("success there: \(DispatchQueue.getSpecific(key: key) == true)")
            }, failure: nil)
        operation.start()
        await serializer.entered.wait()
        group.notify(queue: .global()) {
            log.add("group")
            all.fire()
        }
        serializer.gate.signal()
        await all.wait()
        #expect(log.all == ["success there: true", "group"])
    }

    @Test func `an operation with blocks is freed after its end, or when it is dropped unstarted`()
        async
    {
        let gone = Signal()
        do {
            for isStarted in [true, false] {
                let operation = operation("/ok")
                let sentinel = Sentinel(gone)
                operation.setCompletionBlock(
                    success: { _, _ in sentinel.touch() }, failure: nil)
                operation.userInfo = ["sentinel": Sentinel(gone)]
                if isStarted { operation.start() }
            }
        }
        await gone.wait(for: 4, "both and their blocks to be freed")
    }

    @Test func `a copy made inside the failure block has the blocks that copies have`() async {
        world.server.add("/gone") { _ in .status(404) }
        let operation = operation("/gone")
        let (progress, end) = (Signal(), end)
        operation.setDownloadProgressBlock { _, _, _ in progress.fire() }
        operation.setCompletionBlock(
            success: nil,
            failure: { operation, _ in
                let copy = operation.copy() as? HTTPRequestOperation
                copy?.completionBlock = { end.fire() }
                copy?.start()
            })
        world.server.add("/gone") { _ in .text("some bytes", status: 404) }
        operation.start()
        await end.wait()
        await MainQueue.settle()
        #expect(progress.count == 2)
    }

    @Test func `what a subclass refuses when it sees the response is not overtaken by its body`()
        async
    {
        let operation = RefusingOperation(request: world.request("/ok"))
        operation.networkThread = world.thread
        await operation.run()
        #expect((operation.error as? CocoaError)?.code == .fileNoSuchFile)
        #expect(operation.responseData == nil)
    }

    @Test func `an operation of a subclass may end with an error of its own`() async {
        let path = world.gate("own")
        let operation = operation(path)
        let signal = operation.endSignal()
        operation.start()
        await world.reached("own")
        operation.fail(with: CocoaError(.fileNoSuchFile))
        await signal.wait()
        #expect((operation.error as? CocoaError)?.code == .fileNoSuchFile)
        await world.seesTheClose()
    }
}

/// Refuses every response, whose short body is there already.
private final class RefusingOperation: HTTPRequestOperation, @unchecked Sendable {
    // @unchecked because it adds nothing stored.
    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        fail(with: CocoaError(.fileNoSuchFile))
    }
}
