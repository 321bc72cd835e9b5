import CurlConnection
import OperationNetworking
import SessionEra
import TestSupport

/// Notes each moment as a word.
private final class Notes: RequestObserver {
    let all = Log<String>()
    let metrics = Log<RequestMetrics?>()

    func requestWasMade(_ request: ObservedRequest) { all.add("made") }
    func requestDidStart(_ request: ObservedRequest) { all.add("started") }
    func request(_ request: ObservedRequest, didReceive response: URLResponse) {
        all.add("response")
    }
    func request(_ request: ObservedRequest, didReceiveBytes count: Int64) {
        all.add("received \(count)")
    }
    func request(
        _ request: ObservedRequest, didEndWith error: (any Error)?, metrics: RequestMetrics?
    ) {
        self.metrics.add(metrics)
        let status = (request.response as? HTTPURLResponse)?.statusCode ?? 0
        all.add("ended \(status) \((error as? URLError)?.code.rawValue ?? 0)")
    }
}

@Suite("What an observer of a session manager hears", .timeLimit(.minutes(1)))
struct ObservedTasksTests {
    private let world: TestWorld

    init() throws {
        world = TestWorld.sessions()
        world.server.add("/item") { _ in .text("four") }
    }

    @Test func `each moment of a task is told once, in order`() async throws {
        let notes = Notes()
        world.manager.observer = notes
        _ = try await world.manager.result(for: world.request("/item"))
        #expect(await notes.all.reaches(5))
        #expect(notes.all.all == ["made", "started", "response", "received 4", "ended 200 0"])
        let metrics = try #require(notes.metrics.all.first)
        #expect(metrics != nil)
    }

    @Test func `a task that is cancelled before it runs ends without a start`() async {
        let notes = Notes()
        world.manager.observer = notes
        let task = world.manager.dataTask(with: world.request("/item"), completionHandler: nil)
        #expect(notes.all.all == ["made"])
        task.cancel()
        #expect(await notes.all.reaches(2))
        #expect(notes.all.all == ["made", "ended 0 -999"])
    }

    @Test func `an observer counts for a session that is made later, and in a copy`() async throws {
        let notes = Notes()
        let manager = URLSessionManager(sessionConfiguration: .ephemeral)
        manager.observer = notes
        #expect(manager.observer === notes)
        let copy = try #require(manager.copy() as? URLSessionManager)
        #expect(copy.observer === notes)
        manager.observer = nil
        manager.responseSerializer = HTTPResponseSerializer()
        _ = try await manager.result(for: world.request("/item"))
        #expect(notes.all.all.isEmpty)
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        copy.invalidateSessionCancelingTasks(true, resetSession: false)
    }
}
