import CurlConnection
import OperationNetworking
import SessionEra
import TestSupport

@Suite("Transfers that a suspension holds: `.connection`", .timeLimit(.minutes(1)))
struct HeldTransferTests {
    private let bench: Bench
    private let whole = GeneratedBytes.bytes(seed: 2, range: 0..<200_000)

    init() throws {
        bench = try Bench()
        bench.server.add("/half") { _ in
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
        _ make: (@escaping @Sendable (Bench.Outcome) -> Void) -> Made
    ) async -> (Made, Bench.Outcome) {
        let log = Log<Bench.Outcome>()
        let task = make { log.add($0) }
        task.resume()
        while task.countOfBytesReceived < 100_000 { await Task.yield() }
        task.suspend()
        #expect(task.state == .suspended)
        await settle()
        bench.server.release("half")
        // What was sent before the suspension is over has gone by; the end has not.
        #expect(await bench.data("/ok").status == 200)
        #expect(log.all.isEmpty)
        task.resume()
        #expect(await log.reaches(1))
        return (task, log.all.first ?? Bench.Outcome())
    }

    @Test
    func `a data task goes on where it was, and the server is asked once`() async {
        let (_, outcome) = await halted { done in
            bench.manager.dataTask(with: bench.request("/half")) { response, object, error in
                done(
                    Bench.Outcome(
                        response: response as? HTTPURLResponse, object: object, error: error))
            }
        }
        #expect(outcome.data == whole)
        #expect(bench.server.requests.filter { $0.path == "/half" }.count == 1)
    }

    @Test
    func `an upload sends its body once`() async {
        let body = GeneratedBytes.bytes(seed: 9, range: 0..<50_000)
        var request = bench.request("/half", method: "POST")
        request.httpBodyStream = InputStream(data: body)
        let (_, outcome) = await halted { done in
            bench.manager.uploadTask(withStreamedRequest: request) { _, object, error in
                done(Bench.Outcome(object: object, error: error))
            }
        }
        #expect(outcome.data == whole)
        #expect(bench.server.requests.filter { $0.path == "/half" }.map(\.body) == [body])
    }

    @Test
    func `a download asks for no range`() async throws {
        let place = Bench.freshPlace()
        defer { try? FileManager.default.removeItem(at: place) }
        let (_, outcome) = await halted { done in
            bench.manager.downloadTask(
                with: bench.request("/half"), destination: { _, _ in place }
            ) { _, place, error in done(Bench.Outcome(place: place, error: error)) }
        }
        #expect(outcome.error == nil)
        #expect(try Data(contentsOf: place) == whole)
        let asked = bench.server.requests.filter { $0.path == "/half" }
        #expect(asked.count == 1 && asked[0].headers["Range"] == nil)
    }

    @Test
    func `a session that finishes its tasks waits for one that is suspended`() async {
        let invalid = Log<Bool>()
        bench.manager.setSessionDidBecomeInvalidBlock { _, _ in invalid.add(true) }
        let log = Log<Bench.Outcome>()
        let task = bench.manager.dataTask(with: bench.request("/half")) { _, object, error in
            log.add(Bench.Outcome(object: object, error: error))
        }
        task.resume()
        while task.countOfBytesReceived < 100_000 { await Task.yield() }
        task.suspend()
        bench.manager.invalidateSessionCancelingTasks(false, resetSession: false)
        #expect(await bench.data("/ok").error as? SessionError == .sessionInvalidated)
        #expect(invalid.all.isEmpty)
        await settle()
        bench.server.release("half")
        task.resume()
        #expect(await log.reaches(1))
        #expect(log.all.first?.data == whole)
        #expect(await invalid.reaches(1))
    }

    @Test
    func `a suspended task that is cancelled ends once`() async {
        let log = Log<Bench.Outcome>()
        let task = bench.manager.downloadTask(with: bench.request("/half")) { _, _, error in
            log.add(Bench.Outcome(error: error))
        }
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
        let next = data.map { bench.manager.downloadTask(withResumeData: $0) }
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
                    bench.manager.dataTask(with: bench.request(path)) { _, _, _ in log.add(index) }
                case 1:
                    bench.manager.uploadTask(
                        with: bench.request(path, method: "PUT"), from: Data(count: 3_000)
                    ) { _, _, _ in log.add(index) }
                default:
                    bench.manager.downloadTask(with: bench.request(path)) { _, _, _ in
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
        bench.manager.operationQueue.addOperation { DispatchQueue.main.async { idle.add(true) } }
        #expect(await idle.reaches(1))
        #expect(log.all.sorted() == Array(0..<1_000))
        #expect(bench.manager.tasks.isEmpty)
    }
}
