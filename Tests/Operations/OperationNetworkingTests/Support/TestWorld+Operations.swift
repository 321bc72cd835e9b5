import CurlConnection
import TestSupport

@testable import OperationNetworking

extension TestWorld {
    /// A network thread that a test may hold.
    var thread: NetworkThread { own { NetworkThread(name: "test") } }

    /// An operation on the world's thread.
    func operation(_ path: String = "/ok") -> LifeOperation {
        let operation = LifeOperation(request: request(path))
        operation.networkThread = thread
        return operation
    }

    /// The same of the class that users have.
    func plainOperation(_ request: URLRequest) -> URLConnectionOperation {
        let operation = URLConnectionOperation(request: request)
        operation.networkThread = thread
        return operation
    }

    func plainOperation(_ path: String) -> URLConnectionOperation {
        plainOperation(request(path))
    }

    func httpOperation(
        _ request: URLRequest, _ serializer: HTTPResponseSerializer? = nil
    ) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: request)
        operation.networkThread = thread
        if let serializer { operation.responseSerializer = serializer }
        return operation
    }

    func httpOperation(
        _ path: String = "/ok", _ serializer: HTTPResponseSerializer? = nil
    ) -> HTTPRequestOperation {
        httpOperation(request(path), serializer)
    }

    /// A path whose answer stops at the gate: before its head, or behind so many bytes of its body.
    func gate(_ name: String, body: Data = Data("hello world".utf8), after count: Int? = nil)
        -> String
    {
        let head = ScriptedResponse.head(200, [("Content-Length", "\(body.count)")])
        server.add("/held/\(name)") { _ in
            guard let count else {
                return ScriptedResponse([.wait(gate: name), .bytes(head), .bytes(body)])
            }
            return ScriptedResponse([
                .bytes(head), .bytes(body.prefix(count)), .wait(gate: name),
                .bytes(body.dropFirst(count)),
            ])
        }
        return "/held/\(name)"
    }

    /// One at a time.
    var queue: OperationQueue {
        own {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        }
    }

    /// Waits until the queue has nothing any more.
    func empties(_ queue: OperationQueue) async {
        await onNewThread { queue.waitUntilAllOperationsAreFinished() }
        #expect(queue.operationCount == 0)
    }

    /// Waits for the one end of an operation in `queue`, and checks that it has what was sent.
    func expectSuccess(
        _ operation: LifeOperation, _ end: Signal, requests: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await end.wait(sourceLocation: sourceLocation)
        await empties(queue)
        await MainQueue.settle()
        #expect(end.count == 1, sourceLocation: sourceLocation)
        #expect(operation.error == nil, sourceLocation: sourceLocation)
        #expect(operation.responseString == "hello world", sourceLocation: sourceLocation)
        #expect(operation.totalBytesRead == 11, sourceLocation: sourceLocation)
        if let requests {
            #expect(server.requests.count == requests, sourceLocation: sourceLocation)
        }
    }

    /// Waits for the one end of an operation in `queue`, and checks that it was cancelled.
    func expectOneEnd(
        _ operation: LifeOperation, _ end: Signal, requests: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await end.wait(sourceLocation: sourceLocation)
        await empties(queue)
        await sees("the end of its answers") { $0.inFlight == 0 }
        await settle()
        await MainQueue.settle()
        #expect(end.count == 1, sourceLocation: sourceLocation)
        operation.expectCancelled(sourceLocation: sourceLocation)
        if let requests {
            #expect(server.requests.count == requests, sourceLocation: sourceLocation)
        }
    }

    /// Loads others from the thread; what it had to do before is done then.
    ///
    /// - Throws: at the first that does not end; all that the thread has to do would wait as long.
    func others() async throws {
        for _ in 0..<3 {
            let other = operation("/bytes/100000")
            let end = other.endSignal()
            other.start()
            try #require(await end.wait(for: 1, "another operation"))
            #expect(other.responseData?.count == 100_000)
        }
    }

    /// Stops the network thread, once what it was told before is done.
    func holdThread() async -> LifeHold {
        let hold = LifeHold()
        thread.perform(inModes: [.common]) { hold.stop() }
        await hold.isHeld.wait(for: 1, "the network thread")
        return hold
    }

    /// Lets the network thread do what it was told so far.
    func settle() async {
        for _ in 0..<3 {
            let done = Signal()
            thread.perform(inModes: [.common]) { done.fire() }
            await done.wait(for: 1, "the network thread")
        }
    }
}

extension TemporaryFolder {
    func pipe() throws -> String {
        let path = file("pipe-\(UUID().uuidString)").path
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }
}

/// What comes out of a pipe until its end.
func everything(in path: String) -> Data {
    (try? FileHandle(forReadingAtPath: path)?.readToEnd()) ?? Data()
}

/// A body in three pieces; a failure can be put at each byte of each.
enum Pieces {
    static let three = [Data("abcdefg".utf8), Data("hijkl".utf8), Data("mnopqr".utf8)]
    static let whole = Data("abcdefghijklmnopqr".utf8)
}

extension Routes {
    /// The standard ones, the body in three pieces, and an echo.
    static var pieces: Routes {
        var routes = standard
        routes.add("/three/chunked") { _ in .chunked(Pieces.three) }
        routes.add("/three/sized") { _ in .data(Pieces.whole) }
        routes.add("/three/held") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "18")]) + Pieces.three[0]),
                .wait(gate: "rest"), .bytes(Pieces.three[1] + Pieces.three[2]),
            ])
        }
        routes.add("/echo-body") { .data($0.body) }
        return routes
    }
}

extension URLConnectionOperation {
    /// Starts and returns after the end.
    func run(sourceLocation: SourceLocation = #_sourceLocation) async {
        let end = endSignal()
        start()
        await end.wait(sourceLocation: sourceLocation)
    }

    var errorCode: URLError.Code? { (error as? URLError)?.code }
}

extension OperationQueue {
    /// Adds operations, in order, also from an async test.
    func take(_ operations: Operation...) {
        for operation in operations { addOperation(operation) }
    }
}
