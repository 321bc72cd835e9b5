import Dispatch
import SessionTasks
import TestSupport

@testable import RequestEra

/// A request begins before its caller has said who gets its body and hears of its progress.
@Suite("Closures that come after the bytes", .timeLimit(.minutes(2)))
struct LateClosureTests {
    private let body = Data(count: 100_000)

    private func world() throws -> TestWorld {
        let world = TestWorld.requests()
        world.server.add("/post") { .text("\($0.body.count)") }
        world.server.add("/get") { _ in .data(Data(count: 100_000)) }
        world.server.add("/held") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "11")])),
                .bytes(Data("hello".utf8)), .wait(gate: "rest"), .bytes(Data(" world".utf8)),
            ])
        }
        return world
    }

    /// Holds the delegate queue once a request's bytes have gone, and before its end.
    private func beforeEnd(of request: Request) async -> DispatchSemaphore {
        let (gate, reached) = (DispatchSemaphore(value: 0), Signal())
        request.state.withLock { state in
            state.validations.append {
                reached.fire()
                gate.wait()
            }
        }
        request.resume()
        await reached.wait()
        return gate
    }

    private func ended(_ request: Request) async {
        let end = Signal()
        request.delegate.queue.addOperation { DispatchQueue.main.async { end.fire() } }
        await end.wait()
    }

    // MARK: - Progress

    @Test func `one that comes after the bytes is told of them once, before the handlers`()
        async throws
    {
        let world = try world()
        world.manager.startRequestsImmediately = false
        let log = Log<String>()
        let upload = world.manager.upload(body, to: world.address("/post"))
        let download = world.manager.download(world.address("/get"))
        let data = world.get("/get")
        let listeners: [(Request, () -> Void)] = [
            (upload, { upload.uploadProgress { log.add("sent \($0.completedUnitCount)") } }),
            (
                download,
                { download.downloadProgress { log.add("written \($0.fractionCompleted)") } }
            ),
            (data, { data.downloadProgress { log.add("received \($0.totalUnitCount)") } }),
        ]
        for (request, listen) in listeners {
            let gate = await beforeEnd(of: request)
            listen()
            request.delegate.queue.addOperation { DispatchQueue.main.async { log.add("handler") } }
            gate.signal()
            await ended(request)
        }
        #expect(
            log.all == [
                "sent 100000", "handler", "written 1.0", "handler", "received 100000", "handler",
            ])
    }

    @Test func `after the end it is told at once, and before a handler that comes then`()
        async throws
    {
        let world = try world()
        let upload = world.manager.upload(body, to: world.address("/post"))
        await ended(upload)
        let log = Log<String>()
        upload.uploadProgress { log.add("sent \($0.completedUnitCount)") }
            .response { _ in log.add("handler") }
        await ended(upload)
        #expect(log.all == ["sent 100000", "handler"])
    }

    @Test
    func `one that was told of the last bytes hears no more, and without bytes none is called`()
        async throws
    {
        let world = try world()
        world.manager.startRequestsImmediately = false
        let log = Log<Int64>()
        let upload = world.manager.upload(body, to: world.address("/post"))
        upload.uploadProgress { log.add($0.completedUnitCount) }
        let pieces = upload.uploadProgress(bufferingPolicy: .unbounded)
        upload.resume()
        await ended(upload)
        #expect(log.all.last == 100_000)
        #expect(log.all.count == (await pieces.reduce(0) { count, _ in count + 1 }))
        let refused = world.manager.upload(body, to: "http://127.0.0.1:1/")
        refused.resume()
        await ended(refused)
        refused.uploadProgress { log.add(-$0.totalUnitCount) }
        await MainQueue.settle()
        #expect(log.all.allSatisfy { $0 > 0 })
    }

    // MARK: - Streams

    /// What a stream closure and a handler are given.
    private func listen(to request: DataRequest, _ log: Log<String>) {
        request.stream { log.add(String(decoding: $0, as: UTF8.self)) }
            .response { log.add($0.data == nil ? "nil" : "data") }
    }

    @Test func `a stream that comes in the middle gets the beginning first`() async throws {
        let (world, log) = (try world(), Log<String>())
        let request = world.get("/held")
        while request.delegate.data?.count != 5 { await Task.yield() }
        listen(to: request, log)
        world.server.release("rest")
        await ended(request)
        #expect(log.all == ["hello", " world", "nil"])
    }

    @Test func `one that comes before the end gets everything before the handlers`() async throws {
        let (world, log) = (try world(), Log<String>())
        world.manager.startRequestsImmediately = false
        world.server.release("rest")
        let request = world.get("/held")
        let gate = await beforeEnd(of: request)
        listen(to: request, log)
        gate.signal()
        await ended(request)
        #expect(log.all == ["hello world", "nil"])
    }

    @Test func `one that comes after the end too, and the end is posted once`() async throws {
        let (world, log) = (try world(), Log<String>())
        world.server.release("rest")
        let posted = RequestEndTests.Posted(world.delegate)
        let request = world.get("/held")
        await ended(request)
        #expect(request.delegate.data?.count == 11)
        listen(to: request, log)
        await ended(request)
        #expect(log.all == ["hello world", "nil"] && posted.count == 1)
        #expect(request.stream(closure: nil).delegate.data?.isEmpty == true)
    }
}
