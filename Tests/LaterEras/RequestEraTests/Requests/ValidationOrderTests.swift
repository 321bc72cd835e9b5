import OperationNetworking
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Validations", .timeLimit(.minutes(2)))
struct ValidationOrderTests {
    /// A request whose end was posted before anything was added to it.
    private func endedRequest(_ world: TestWorld, _ path: String) async -> DataRequest {
        let posted = Signal()
        let observer = NotificationCenter.default.addObserver(
            forName: Notification.Name.Task.DidComplete, object: world.delegate, queue: nil
        ) { _ in posted.fire() }
        let request = world.get(path)
        await posted.wait()
        NotificationCenter.default.removeObserver(observer)
        while request.delegate.queue.isSuspended { await Task.yield() }
        return request
    }

    @Test func `a validation that is added before the first handler counts, also after the end`()
        async throws
    {
        let world = TestWorld.requests()
        let request = await endedRequest(world, "/status/503")
        let response = await request.validate().ended()
        #expect((response.error as? AFError)?.responseCode == 503)
    }

    @Test func `and its failure is tried again`() async throws {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier.upTo(1)
        let request = await endedRequest(world, "/status/503")
        let response = await request.validate().ended()
        #expect((response.error as? AFError)?.responseCode == 503)
        #expect(request.retryCount == 1 && world.server.requests.count == 2)
        #expect(response.timeline.requestCompletedTime > response.timeline.requestStartTime)
    }

    @Test
    func `one that comes while the end is posted counts, and its retry posts an end of its own`()
        async throws
    {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier.upTo(1)
        world.manager.startRequestsImmediately = false
        let request = world.get("/status/503")
        let (log, handled) = (Log<UInt>(), Signal())
        let observer = NotificationCenter.default.addObserver(
            forName: Notification.Name.Task.DidComplete, object: world.delegate, queue: nil
        ) { [unowned request] _ in
            if log.all.isEmpty { request.validate() }
            log.add(request.retryCount)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        request.response { _ in handled.fire() }
        request.resume()
        await handled.wait()
        await MainQueue.settle()
        #expect(log.all == [0, 1] && handled.count == 1)
    }

    /// Holds the delegate queue where a request's end is decided and its queue not open yet.
    private func atTheOpening(of request: Request) async -> DispatchSemaphore {
        let (gate, reached) = (DispatchSemaphore(value: 0), Signal())
        let (_, reader) = AsyncStream<OperationProgress>.makeStream()
        reader.onTermination = { _ in
            reached.fire()
            gate.wait()
        }
        let streams = ProgressStreams()
        streams.add(reader)
        request.state.withLock { $0.download.streams = streams }
        request.resume()
        await reached.wait()
        return gate
    }

    @Test func `what comes between the end and the opening of the queue keeps the queue shut`()
        async throws
    {
        let world = TestWorld.requests()
        world.server.add("/busy") { _ in .text("busy", status: 503) }
        world.manager.startRequestsImmediately = false
        let changes: [@Sendable (DataRequest) -> Void] = [
            { $0.validate() }, { $0.stream { _ in } },
        ]
        for change in changes {
            let request = world.get("/busy")
            let gate = await atTheOpening(of: request)
            let opened = Log<Bool>()
            request.taskSession.delegateQueue.addOperation {
                opened.add(!request.delegate.queue.isSuspended)
            }
            change(request)
            gate.signal()
            _ = await request.ended()
            #expect(opened.all == [false])
        }
    }

    @Test func `a stream closure after the end makes no late validation count`() async throws {
        let world = TestWorld.requests()
        world.server.add("/busy") { _ in .text("busy", status: 503) }
        world.manager.retrier = Retrier.upTo(1)
        let request = world.get("/busy")
        #expect(await request.ended().error == nil)
        let gate = DispatchSemaphore(value: 0)
        request.taskSession.delegateQueue.addOperation { gate.wait() }
        request.stream { _ in }.validate()
        gate.signal()
        #expect(await request.ended().error == nil)
        #expect(world.server.requests.count == 1)
    }

    @Test func `one that is added after the end of a request with handlers does not`() async throws
    {
        let world = TestWorld.requests()
        let request = world.get("/status/503")
        #expect(await request.ended().error == nil)
        #expect(await request.validate().ended().error == nil)
    }

    @Test func `they run in their order until one fails, on the delegate queue`() async throws {
        let world = TestWorld.requests()
        world.server.add("/held") { _ in .text("x").after(.wait(gate: "held")) }
        let request = world.get("/held")
        let log = Log<String>()
        for number in 1...3 {
            request.validate { _, _, _ in
                log.add("\(number) \(OperationQueue.current?.name ?? "")")
                return number == 2 ? .failure(PlainError(tag: "two")) : .success
            }
        }
        world.server.release("held")
        #expect(await (request.ended().error as? PlainError)?.tag == "two")
        let queue = "org.alamofire.session-manager"
        #expect(log.all == ["1 \(queue)", "2 \(queue)"])
    }

    @Test func `a validation's error wins over the transfer's`() async throws {
        let world = TestWorld.requests()
        world.server.add("/short") { _ in
            let head = ScriptedResponse.head(500, [("Content-Length", "1000")])
            return ScriptedResponse([.bytes(head + Data("x".utf8)), .close])
                .after(.wait(gate: "short"))
        }
        let request = world.get("/short").validate()
        world.server.release("short")
        #expect(await (request.ended().error as? AFError)?.responseCode == 500)
    }

    @Test func `one that is added from another thread while they run is no race`() async throws {
        let world = TestWorld.requests()
        for _ in 0..<50 {
            let request = world.get("/ok")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { request.validate { _, _, _ in .success } }
                }
            }
            #expect(await request.ended().error == nil)
        }
    }
}
