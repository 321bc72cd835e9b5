import CurlConnection
import OperationNetworking
import SessionEra
import TestSupport

@Suite("Transfers that a suspension holds: `.connection`", .timeLimit(.minutes(1)))
struct HeldTransferTests {
    private let world = TestWorld.sessions()
    private let whole = GeneratedBytes.bytes(seed: 2, range: 0..<200_000)

    init() {
        world.server.add("/half") { _ in
            ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(
                        200, [("Content-Length", "200000"), ("ETag", "\"half\"")])),
                .generated(seed: 2, range: 0..<100_000), .wait(gate: "half"),
                .generated(seed: 2, range: 100_000..<200_000),
            ])
        }
    }

    /// Waits until the network thread has done what it was told before.
    private func settle() async {
        await withCheckedContinuation { continuation in
            NetworkThread.shared.perform(inModes: [.common]) { continuation.resume() }
        }
    }

    /// Runs a task to half of its body, suspends it, and resumes it once the rest could be there.
    private func halted<Made: SessionTask>(
        _ make: (@escaping @Sendable (Outcome) -> Void) -> Made
    ) async -> (Made, Outcome) {
        let log = Log<Outcome>()
        let task = make { log.add($0) }
        task.resume()
        while task.countOfBytesReceived < 100_000 { await Task.yield() }
        task.suspend()
        #expect(task.state == .suspended)
        await settle()
        world.server.release("half")
        // What was sent before the suspension is over has gone by; the end has not.
        #expect(await world.data("/ok").status == 200)
        #expect(log.all.isEmpty)
        task.resume()
        #expect(await log.reaches(1))
        return (task, log.all.first ?? Outcome())
    }

    @Test
    func `a data task goes on where it was, and the server is asked once`() async {
        let (_, outcome) = await halted { done in
            world.manager.dataTask(with: world.request("/half")) { response, object, error in
                done(Outcome(response, object, error))
            }
        }
        #expect(outcome.data == whole)
        #expect(world.server.requests.filter { $0.path == "/half" }.count == 1)
    }

    @Test
    func `an upload sends its body once`() async {
        let body = GeneratedBytes.bytes(seed: 9, range: 0..<50_000)
        var request = world.request("/half", "POST")
        request.httpBodyStream = InputStream(data: body)
        let (_, outcome) = await halted { done in
            world.manager.uploadTask(withStreamedRequest: request) { _, object, error in
                done(Outcome(nil, object, error))
            }
        }
        #expect(outcome.data == whole)
        #expect(world.server.requests.filter { $0.path == "/half" }.map(\.body) == [body])
    }

    @Test
    func `a download asks for no range`() async throws {
        let place = world.file("place")
        let (_, outcome) = await halted { done in
            world.manager.downloadTask(
                with: world.request("/half"), destination: { _, _ in place }
            ) { _, place, error in done(Outcome(place: place, error)) }
        }
        #expect(outcome.error == nil)
        #expect(try Data(contentsOf: place) == whole)
        let asked = world.server.requests.filter { $0.path == "/half" }
        #expect(asked.count == 1 && asked[0].headers["Range"] == nil)
    }

    @Test
    func `a session that finishes its tasks waits for one that is suspended`() async {
        let invalid = Log<Bool>()
        world.manager.setSessionDidBecomeInvalidBlock { _, _ in invalid.add(true) }
        let (task, log) = world.dataTask(world.request("/half"))
        task.resume()
        while task.countOfBytesReceived < 100_000 { await Task.yield() }
        task.suspend()
        world.manager.invalidateSessionCancelingTasks(false, resetSession: false)
        #expect(await world.data("/ok").error as? SessionError == .sessionInvalidated)
        #expect(invalid.all.isEmpty)
        await settle()
        world.server.release("half")
        task.resume()
        #expect(await log.reaches(1))
        #expect(log.all.first?.data == whole)
        #expect(await invalid.reaches(1))
    }

    @Test
    func `a suspended task that is cancelled ends once`() async {
        let (task, log) = world.downloadTask(world.request("/half"))
        task.resume()
        while task.countOfBytesReceived < 100_000 { await Task.yield() }
        task.suspend()
        let resumeData = Log<Data?>()
        task.cancel { resumeData.add($0) }
        #expect(await resumeData.reaches(1))
        #expect(await log.reaches(1))
        #expect((log.all.first?.error as? URLError)?.code == .cancelled)
        let data = resumeData.all.first ?? nil
        #expect(data != nil)
        // What is left of it belongs to nobody any more.
        let next = data.map { world.manager.downloadTask(withResumeData: $0) }
        next?.cancel()
    }

    @Test
    func `1,000 random orders of suspend, resume and cancel end each exactly once`() async {
        var random = SeededNumbers(seed: 4)
        let log = Log<Int>()
        let places = (0..<1_000).map { index in
            let kind = Int.random(in: 0..<3, using: &random)
            let steps = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Int.random(in: 0..<8, using: &random)
            }
            let path =
                ["/ok", "/bytes/40000", "/redirect?to=/ok", "/status/404"]
                .randomElement(using: &random) ?? "/ok"
            let task: SessionTask =
                switch kind {
                case 0:
                    world.manager.dataTask(with: world.request(path)) { _, _, _ in log.add(index) }
                case 1:
                    world.manager.uploadTask(
                        with: world.request(path, "PUT"), from: Data(count: 3_000)
                    ) { _, _, _ in log.add(index) }
                default:
                    world.manager.downloadTask(with: world.request(path)) { _, _, _ in
                        log.add(index)
                    }
                }
            return (task, steps)
        }
        await withTaskGroup(of: Void.self) { group in
            for (task, steps) in places {
                group.addTask {
                    for step in steps {
                        switch step {
                        case 0..<4: task.resume()
                        case 4..<7: task.suspend()
                        default: task.cancel()
                        }
                    }
                    while task.state == .suspended { task.resume() }
                }
            }
        }
        #expect(await log.reaches(1_000))
        let idle = Log<Bool>()
        world.manager.operationQueue.addOperation { DispatchQueue.main.async { idle.add(true) } }
        #expect(await idle.reaches(1))
        #expect(log.all.sorted() == Array(0..<1_000))
        #expect(world.manager.tasks.isEmpty)
    }
}
