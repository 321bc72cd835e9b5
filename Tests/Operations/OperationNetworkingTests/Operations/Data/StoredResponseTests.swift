import CurlConnection
import OperationNetworking
import TestSupport

/// Operations and managers whose answers come out of the cache.
@Suite("Operations and the cache", .timeLimit(.minutes(1)))
struct StoredResponseTests {
    private let world = TestWorld()
    private let manager: HTTPRequestOperationManager

    init() throws {
        manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        manager.configuration.responseCache = try ResponseCache(memoryCapacity: 4 << 20)
        world.server.add("/kept") { _ in
            .json("{\"answer\": 42}", headers: [("Cache-Control", "max-age=600")])
        }
    }

    /// Gets by the manager and returns the operation after its block was called.
    @discardableResult
    private func get(
        _ path: String = "/kept", _ prepare: (HTTPRequestOperation) -> Void = { _ in }
    ) async -> HTTPRequestOperation {
        var request = world.request(path)
        request.cachePolicy = manager.requestSerializer.cachePolicy
        let end = Signal()
        let operation = manager.httpRequestOperation(
            with: request, success: { _, _ in end.fire() }, failure: { _, _ in end.fire() })
        operation.networkThread = world.thread
        prepare(operation)
        manager.enqueue(operation)
        await end.wait()
        return operation
    }

    private var hits: Int { world.server.statistics.requests }

    @Test func `a hundred equal requests of a manager cost one hit`() async {
        let first = await get()
        for _ in 1..<100 {
            let operation = await get()
            #expect(operation.responseData == first.responseData)
            #expect(operation.response?.statusCode == 200)
            let object = operation.responseObject as? [String: Any]
            #expect(object?["answer"] as? Int == 42)
        }
        #expect(hits == 1)
    }

    @Test func `the cache block changes what is stored, not what is received (RC-4)`() async {
        let first = await get {
            $0.setCacheResponseBlock { _, offered in
                CachedURLResponse(
                    response: offered.response, data: Data("[1]".utf8), userInfo: nil,
                    storagePolicy: .allowed)
            }
        }
        #expect(first.responseString == "{\"answer\": 42}")
        #expect(await get().responseString == "[1]")
        #expect(hits == 1)
    }

    @Test func `the cache block's nil keeps an answer out (RC-4)`() async {
        let asked = Signal()
        for _ in 0..<2 {
            let operation = await get {
                $0.setCacheResponseBlock { _, _ in
                    asked.fire()
                    return nil
                }
            }
            #expect(operation.error == nil)
        }
        #expect(asked.count == 2)
        #expect(hits == 2)
    }

    @Test func `the cache block is asked on the network thread, once for a stored answer`() async {
        let threads = Log<Bool>()
        for _ in 0..<3 {
            await get { operation in
                operation.setCacheResponseBlock { [thread = world.thread] _, offered in
                    threads.add(thread.isCurrent)
                    return offered
                }
            }
        }
        #expect(threads.all == [true])
    }

    @Test func `a cancelled operation refuses unless its block says otherwise (RC-4)`() throws {
        let url = world.server.url("/kept")
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        let offered = CachedURLResponse(response: response, data: Data())
        let connection = URLConnection(
            request: URLRequest(url: url), delegate: nil, startImmediately: false)
        let operation = world.plainOperation("/kept")
        #expect(operation.connection(connection, willCacheResponse: offered) === offered)
        operation.cancel()
        #expect(operation.connection(connection, willCacheResponse: offered) == nil)
        operation.setCacheResponseBlock { $1 }
        #expect(operation.connection(connection, willCacheResponse: offered) === offered)
    }

    @Test func `the serializer's cache policy reaches every request`() async {
        manager.responseSerializer = HTTPResponseSerializer()
        func get() async -> URLError.Code? {
            let (end, errors) = (Signal(), Log<any Error>())
            manager.get("/kept", success: { _, _ in end.fire() }) { _, error in
                errors.add(error)
                end.fire()
            }
            await end.wait()
            return (errors.all.first as? URLError)?.code
        }
        manager.requestSerializer.cachePolicy = .returnCacheDataDontLoad
        #expect(await get() == .resourceUnavailable)
        #expect(hits == 0)
        manager.requestSerializer.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(await get() == nil)
        #expect(await get() == nil)
        #expect(hits == 2)
        manager.requestSerializer.cachePolicy = .returnCacheDataDontLoad
        #expect(await get() == nil)
        #expect(hits == 2)
    }

    @Test func `a 304 is validated and serialized as the 200 that was stored`() async {
        world.server.add("/tagged") { request in
            request.headers["If-None-Match"] == "\"1\""
                ? .status(304, headers: [("ETag", "\"1\"")])
                : .json("{\"answer\": 42}", headers: [("ETag", "\"1\"")])
        }
        await get("/tagged")
        let operation = await get("/tagged")
        #expect(operation.error == nil)
        #expect(operation.response?.statusCode == 200)
        #expect((operation.responseObject as? [String: Any])?["answer"] as? Int == 42)
        #expect(world.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
    }

    @Test func `no operation shows the condition or the cookie that went out`() async {
        world.server.add("/tagged") { _ in
            .json("{}", headers: [("ETag", "\"1\""), ("Set-Cookie", "a=1")])
        }
        manager.configuration.cookieStorage = CookieStorage()
        // The first brings the cookie, the second an answer for who has it, the third asks again.
        await get("/tagged")
        await get("/tagged")
        let operation = await get("/tagged")
        let sent = world.server.requests.last?.headers
        #expect(sent?["Cookie"] == "a=1")
        #expect(sent?["If-None-Match"] == "\"1\"")
        #expect(operation.request.value(forHTTPHeaderField: "Cookie") == nil)
        #expect(operation.request.value(forHTTPHeaderField: "If-None-Match") == nil)
    }

    // MARK: Streams

    @Test func `a stream that fills slowly loses nothing of a stored answer`() async {
        let body = GeneratedBytes.bytes(seed: 1, range: 0..<100_000)
        world.server.add("/large") { _ in
            .data(body, headers: [("Cache-Control", "max-age=600")], contentType: "text/plain")
        }
        manager.responseSerializer = HTTPResponseSerializer()
        await get("/large")
        // Given a stream that takes nothing, some, and at last the rest
        let stream = OutputDouble(.init(takes: [0, 1, 0, 10, 0, 5_000, 0, .max]))
        let operation = await get("/large") { $0.outputStream = stream }
        #expect(operation.error == nil)
        #expect(stream.stored == body)
        #expect(operation.totalBytesRead == 100_000)
        #expect(hits == 1)
    }

    /// An operation whose stream takes nothing of a stored response.
    private func blocked() async -> (URLConnectionOperation, OutputDouble, Signal) {
        await get()
        let stream = OutputDouble(.init(takes: [0], hasRoom: false))
        let operation = world.plainOperation("/kept")
        operation.configuration = manager.configuration
        operation.outputStream = stream
        let end = operation.endSignal()
        operation.start()
        await stream.refused.wait(for: 3)
        return (operation, stream, end)
    }

    @Test func `an operation paused while a stored answer finds no room goes on`() async {
        let (operation, stream, end) = await blocked()
        operation.pause()
        await world.settle()
        stream.giveRoom()
        operation.resume()
        await end.wait()
        #expect(operation.error == nil)
        #expect(stream.stored == Data("{\"answer\": 42}".utf8))
    }
}
