import CurlConnection
import OperationNetworking
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Requests that tasks wait for", .timeLimit(.minutes(1)))
struct AwaitedRequestTests {
    private struct Thing: Codable, Equatable {
        let a: String
    }

    private let world: TestWorld

    init() throws {
        world = TestWorld.requests(routes: .standard)
        world.server.add("/events") { _ in
            ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(
                        200,
                        [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])),
                .bytes(ScriptedResponse.chunk(Data("data: a\n\n".utf8))), .stall,
            ])
        }
        world.server.add("/stalled") { _ in ScriptedResponse([.wait(gate: "a")]) }
    }

    private func arrives(after count: Int) async -> Bool {
        await world.server.sees { statistics, _ in statistics.requests > count }
    }

    private func closes() async -> Bool {
        await world.server.sees { statistics, _ in statistics.connectionsOpen == 0 }
    }

    // MARK: - Results

    @Test func `value, result and response are those of the handlers, before the end and after it`()
        async throws
    {
        let request = world.get("/json")
        let decoding = request.serializingDecodable(Thing.self)
        async let early = decoding.value
        async let other = decoding.value
        #expect(try await [early, other] == [Thing(a: "b"), Thing(a: "b")])
        #expect(try await decoding.value == Thing(a: "b"))
        let response = await request.serializingString().response
        #expect(response.value == #"{"a":"b"}"#)
        #expect(response.response?.statusCode == 200 && response.metrics != nil)
        #expect(await request.serializingData().result.value?.count == 9)
        #expect(try await request.jsonObject() as? [String: String] == ["a": "b"])
        #expect(world.server.requests.count == 1)
    }

    @Test func `what does not fit is named in the error's text, and an observer hears each task`()
        async throws
    {
        final class Notes: RequestObserver {
            let all = Log<String>()
            func requestWasMade(_ request: ObservedRequest) { all.add("made") }
            func request(_ request: ObservedRequest, didReceive response: URLResponse) {
                all.add("response")
            }
            func request(
                _ request: ObservedRequest, didEndWith error: (any Error)?,
                metrics: RequestMetrics?
            ) { all.add("ended \(metrics?.transactionMetrics.count ?? 0)") }
        }
        let notes = Notes()
        world.manager.observer = notes
        let error = await #expect(throws: AFError.self) {
            try await world.get("/json").serializingDecodable([String: Int].self).value
        }
        #expect(error?.localizedDescription.hasSuffix("(the value at 'a' is no Int)") == true)
        #expect(await notes.all.reaches(3))
        #expect(notes.all.all == ["made", "response", "ended 1"])
        world.manager.observer = nil
        #expect(world.manager.observer == nil)
    }

    @Test func `errors are the request's own types`() async throws {
        let refused = world.get("/status/404").validate()
        let error = await #expect(throws: AFError.self) {
            try await refused.serializingData().value
        }
        #expect(error?.responseCode == 404)
        let text = world.get("/ok")
        await #expect(throws: AFError.self) {
            try await text.serializingDecodable(Thing.self).value
        }
        await #expect(throws: AFError.self) { _ = try await text.jsonObject() }
        let lost = world.manager.request("http://127.0.0.1:1/")
        await #expect(throws: URLError.self) { try await lost.serializingData().value }
        let none = world.manager.request("")
        await #expect(throws: AFError.self) { try await none.serializingData().value }
    }

    @Test func `a request that nobody resumed is resumed, one that is suspended is not`()
        async throws
    {
        world.manager.startRequestsImmediately = false
        let request = world.get("/json")
        let data = request.serializingData()
        #expect(try await data.value.count == 9)
        let suspended = world.get("/json")
        suspended.suspend()
        let task = Task { try await suspended.serializingData().value }
        #expect(try await world.get("/ok").serializingData().value.count == 11)
        #expect(world.server.requests.count == 2)
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
    }

    @Test func `a download's file is there while it is waited for`() async throws {
        let download = world.manager.download(world.address("/json")).serializingDownloadedFileURL()
        let file = try await download.value
        #expect(try Data(contentsOf: file) == Data(#"{"a":"b"}"#.utf8))
        let decoded = world.manager.download(world.address("/json")).serializingDecodable(
            Thing.self)
        #expect(try await decoded.value == Thing(a: "b"))
        let text = world.manager.download(world.address("/ok")).serializingString()
        #expect(await text.response.value == "hello world")
    }

    // MARK: - Cancelling

    @Test func `cancelling the task or the request closes the socket and throws`() async throws {
        for way in 0..<3 {
            let arrived = world.server.statistics.requests
            let request = world.get("/stalled")
            let data = request.serializingData()
            let task = Task { try await data.value }
            #expect(await arrives(after: arrived))
            switch way {
            case 0: task.cancel()
            case 1: request.cancel()
            default: data.cancel()
            }
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(await closes())
        }
    }

    @Test func `a request may outlive the task that waits`() async throws {
        let request = world.get("/stalled")
        let data = request.serializingData(automaticallyCancelling: false)
        let task = Task { try await data.value }
        #expect(await arrives(after: 0))
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        #expect(!request.state.withLock { $0.isCancelled })
        request.cancel()
        await #expect(throws: URLError.self) { try await data.value }
    }

    // MARK: - Bodies

    @Test func `a body comes whole, also what came before it was asked for`() async throws {
        let request = world.get("/bytes/200000?seed=3")
        #expect(await world.server.sees { statistics, _ in statistics.bytesSent > 200_000 })
        let (bytes, response) = try await request.bytes()
        #expect(response.statusCode == 200)
        var data = Data()
        for try await chunk in bytes.chunks { data.append(chunk) }
        #expect(data == GeneratedBytes.bytes(seed: 3, range: 0..<200_000))
        #expect(request.delegate.data == nil)
    }

    @Test func `leaving the loop closes the socket, and so does a cancel`() async throws {
        for way in 0..<3 {
            let request = world.get("/events")
            let first = Signal()
            let task = Task {
                let (bytes, _) = try await request.bytes()
                for try await event in bytes.events {
                    #expect(event.data == "a")
                    first.fire()
                    if way == 0 { break }
                }
            }
            await first.wait()
            if way == 1 { task.cancel() }
            if way == 2 { request.cancel() }
            let result = await task.result
            if way > 0 {
                let error = #expect(throws: URLError.self) { try result.get() }
                #expect(error?.code == .cancelled)
            }
            #expect(await closes())
        }
    }

    @Test func `a validation's error ends a body, after its bytes`() async throws {
        let (bytes, response) = try await world.get("/status/404").validate().bytes()
        #expect(response.statusCode == 404)
        var data = Data()
        let error = await #expect(throws: AFError.self) {
            for try await chunk in bytes.chunks { data.append(chunk) }
        }
        #expect(error?.responseCode == 404 && !data.isEmpty)
    }

    @Test func `a retry after the head ends the reading, one before it does not`() async throws {
        final class Retrier: RequestRetrier {
            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                completion(request.retryCount == 0, 0)
            }
        }
        world.manager.retrier = Retrier()
        let count = Locked(0)
        world.server.add("/once") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? ScriptedResponse([.reset]) : .text("second")
        }
        let (bytes, _) = try await world.manager.request(world.address("/once"), method: .post)
            .bytes()
        var text = ""
        for try await line in bytes.lines { text += line }
        #expect(text == "second")
        // So that the reader is there before the first head.
        world.manager.startRequestsImmediately = false
        let refused = world.get("/status/500").validate()
        await #expect(throws: BodyReadingError.triedAgain) {
            let (bytes, _) = try await refused.bytes()
            for try await _ in bytes.chunks {}
        }
    }

    @Test func `a closure that takes the body leaves none to read, and that is no success`()
        async throws
    {
        let streamed = world.get("/ok").stream { _ in }
        await #expect(throws: BodyReadingError.bodyGoesElsewhere) { _ = try await streamed.bytes() }
        world.delegate.dataTaskDidReceiveData = { _, _, _ in }
        let (bytes, _) = try await world.get("/ok").bytes()
        await #expect(throws: BodyReadingError.bodyGoesElsewhere) {
            for try await _ in bytes.chunks {}
        }
    }

    @Test func `a reader that is behind stops the server, and no byte is lost`() async throws {
        let size: Int64 = 48 << 20
        let (bytes, _) = try await world.get("/bytes/\(size)?seed=9").bytes()
        var chunks = bytes.chunks.makeAsyncIterator()
        var data = try #require(try await chunks.next())
        for _ in 0..<30 { _ = try await world.get("/bytes/200000").serializingData().value }
        #expect(world.server.statistics.bytesSent - 30 * 200_000 < 24 << 20)
        while let chunk = try await chunks.next() { data.append(chunk) }
        #expect(BodyHash.of(data) == GeneratedBytes.hash(seed: 9, range: 0..<size))
    }
}
