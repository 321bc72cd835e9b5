import CurlConnection
import OperationNetworking
import TestSupport

/// Notes each moment as a word, and the thread of the making.
private final class Notes: RequestObserver {
    let all = Log<String>()
    let metrics = Log<RequestMetrics?>()
    let made = Log<ObjectIdentifier>()
    let ids = Log<UInt64>()

    func requestWasMade(_ request: ObservedRequest) {
        made.add(ObjectIdentifier(Thread.current))
        note("made", request)
    }
    func requestDidStart(_ request: ObservedRequest) { note("started", request) }
    func request(_ request: ObservedRequest, didReceive response: URLResponse) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)", request)
    }
    func request(_ request: ObservedRequest, didSendBodyBytes count: Int64) {
        note("sent \(count)", request)
    }
    func request(_ request: ObservedRequest, didReceiveBytes count: Int64) {
        note("received \(count)", request)
    }
    func request(
        _ request: ObservedRequest, didEndWith error: (any Error)?, metrics: RequestMetrics?
    ) {
        self.metrics.add(metrics)
        let status = (request.response as? HTTPURLResponse)?.statusCode
        let code = (error as? URLError).map { "\($0.code.rawValue)" } ?? "-"
        note("ended \(status ?? 0) \(code)", request)
    }

    private func note(_ moment: String, _ request: ObservedRequest) {
        ids.add(request.id)
        all.add("\(moment) \(request.urlRequest.url?.path ?? "")")
    }
}

@Suite("What an observer of a manager hears", .timeLimit(.minutes(1)))
struct RequestObserverTests {
    private let world = TestWorld()
    private let manager: HTTPRequestOperationManager
    private let notes = Notes()

    init() {
        manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.observer = notes
        world.server.add("/item") { _ in .text("four") }
    }

    @Test func `each moment of a request is told once, in order, under one number`() async throws {
        _ = try await manager.post("item", parameters: ["a": "1"])
        #expect(await notes.all.reaches(6))
        #expect(
            notes.all.all == [
                "made /item", "started /item", "sent 3 /item", "response 200 /item",
                "received 4 /item", "ended 200 - /item",
            ])
        #expect(Set(notes.ids.all).count == 1)
        let metrics = try #require(notes.metrics.all.first ?? nil)
        #expect(metrics.transactionMetrics.count == 1)
    }

    @Test func `a request is told as made on the caller's thread, before the verb returns`() {
        let thread = ObjectIdentifier(Thread.current)
        manager.isSuspended = true
        manager.get("item", success: nil)
        #expect(notes.made.all == [thread])
        #expect(notes.all.all == ["made /item"])
        manager.cancelAllOperations()
        manager.isSuspended = false
    }

    @Test func `an error and a refused status are told as they are`() async {
        await #expect(throws: (any Error).self) { _ = try await manager.get("status/404") }
        #expect(await notes.all.sees { $0.contains("ended 404 - /status/404") })
        world.server.add("/cut") { _ in ScriptedResponse([.close]) }
        await #expect(throws: (any Error).self) { _ = try await manager.get("cut") }
        #expect(await notes.all.sees { $0.last?.hasPrefix("ended 0 -") == true })
    }

    @Test func `one that was cancelled while it waited ends without a start`() async {
        manager.isSuspended = true
        let operation = manager.get("item", success: nil)
        operation?.cancel()
        manager.isSuspended = false
        #expect(await notes.all.reaches(2))
        #expect(notes.all.all == ["made /item", "ended 0 -999 /item"])
        #expect(notes.metrics.all.count == 1)
    }

    @Test func `an observer that is slow holds nothing up`() async throws {
        final class Slow: RequestObserver {
            let gate = DispatchSemaphore(value: 0)
            let ends = Log<UInt64>()
            func requestDidStart(_ request: ObservedRequest) { gate.wait() }
            func request(
                _ request: ObservedRequest, didEndWith error: (any Error)?,
                metrics: RequestMetrics?
            ) { ends.add(request.id) }
        }
        let slow = Slow()
        manager.observer = slow
        _ = try await manager.get("item")
        _ = try await manager.get("item")
        #expect(slow.ends.all.isEmpty)
        slow.gate.signal()
        slow.gate.signal()
        #expect(await slow.ends.reaches(2))
    }

    @Test func `nobody hears of what is made after it was taken away, or by others`() async throws {
        manager.observer = nil
        _ = try await manager.get("item")
        let other = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        other.responseSerializer = HTTPResponseSerializer()
        _ = try await other.get("item")
        #expect(notes.all.all.isEmpty)
        #expect((manager.copy() as? HTTPRequestOperationManager)?.observer == nil)
        manager.observer = notes
        let copy = manager.copy() as? HTTPRequestOperationManager
        #expect(copy?.observer === notes)
    }

    @Test func `a download's tries are heard`() async throws {
        world.server.add("/file") { .generatedFile(seed: 1, length: 1_000, request: $0) }
        _ = try await manager.download("file", to: world.file("file"))
        #expect(await notes.all.sees { $0.last == "ended 200 - /file" })
        #expect(notes.all.all.starts(with: ["made /file", "started /file"]))
    }
}
