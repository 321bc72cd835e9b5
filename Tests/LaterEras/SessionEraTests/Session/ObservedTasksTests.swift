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

/// The moments of each task.
private final class Lives: RequestObserver {
    let all = Log<(id: UInt64, moment: String)>()

    func requestWasMade(_ request: ObservedRequest) { all.add((request.id, "made")) }
    func requestDidStart(_ request: ObservedRequest) { all.add((request.id, "started")) }
    func request(_ request: ObservedRequest, didReceive response: URLResponse) {
        all.add((request.id, "response"))
    }
    func request(_ request: ObservedRequest, didReceiveBytes count: Int64) {
        all.add((request.id, "received"))
    }
    func request(
        _ request: ObservedRequest, didEndWith error: (any Error)?, metrics: RequestMetrics?
    ) { all.add((request.id, "ended")) }
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

    @Test func `a download that a data task became has an observed life of its own`() async throws {
        let lives = Lives()
        world.manager.observer = lives
        let becomeDownload = try #require(URLSession.ResponseDisposition(rawValue: 2))
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in becomeDownload }
        let (data, download) = (Log<UInt64>(), Log<UInt64>())
        world.manager.setDataTaskDidBecomeDownloadTaskBlock {
            data.add($1.number)
            download.add($2.number)
        }
        _ = try? await world.manager.result(for: world.request("/item"))
        #expect(await lives.all.reaches(9))
        #expect(
            lives.all.all.filter { $0.id == data.all.first }.map(\.moment)
                == ["made", "started", "response", "ended"])
        #expect(
            lives.all.all.filter { $0.id == download.all.first }.map(\.moment)
                == ["made", "started", "response", "received", "ended"])
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
