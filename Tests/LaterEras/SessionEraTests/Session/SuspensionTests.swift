import OperationNetworking
import SessionEra
import TestSupport

@Suite("Suspend, resume and their notifications: UM-14, UM-15, LX-06", .timeLimit(.minutes(1)))
struct SuspensionTests {
    private let world = TestWorld(.connection)

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

    private func addRest() {
        world.server.add("/rest") { request in
            guard request.headers["Range"] == "bytes=100000-" else {
                return ScriptedResponse([
                    .bytes(
                        ScriptedResponse.head(
                            200, [("Content-Length", "200000"), ("ETag", "\"rest\"")])),
                    .generated(seed: 2, range: 0..<100_000), .stall,
                ])
            }
            return ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(
                        206,
                        [
                            ("Content-Length", "100000"), ("ETag", "\"rest\""),
                            ("Content-Range", "bytes 100000-199999/200000"),
                        ])), .generated(seed: 2, range: 100_000..<200_000),
            ])
        }
    }

    private let whole = GeneratedBytes.bytes(seed: 2, range: 0..<200_000)

    /// Runs a task to half of its body, suspends it, resumes it and lets it end.
    private func outcome(
        _ make: (@escaping URLSessionManager.CompletionHandler) -> SessionTask
    ) async -> Outcome {
        let log = Log<Outcome>()
        let task = make { response, object, error in
            log.add(Outcome(response, object, error))
        }
        task.resume()
        while task.countOfBytesReceived < 100_000 { await Task.yield() }
        task.suspend()
        #expect(task.state == .suspended)
        #expect(task.urlSessionTask == nil)
        world.server.release("half")
        task.resume()
        #expect(await log.reaches(1))
        return log.all.first ?? Outcome()
    }

    @Test
    func `LX-06 a data task that was suspended while it ran hands over its body once`() async {
        world.use(.foundation)
        let outcome = await outcome {
            world.manager.dataTask(with: world.request("/half"), completionHandler: $0)
        }
        #expect(outcome.data == whole)
        #expect(world.server.requests.count == 2)
    }

    @Test
    func `LX-06 an upload that was suspended sends its whole body again`() async {
        world.use(.foundation)
        let body = GeneratedBytes.bytes(seed: 9, range: 0..<50_000)
        let outcome = await outcome {
            world.manager.uploadTask(
                with: world.request("/half", "POST"), from: body, completionHandler: $0)
        }
        #expect(outcome.data == whole)
        #expect(world.server.requests.map(\.body) == [body, body])
    }

    @Test
    func `LX-06 a stream that can be read only once makes the second transfer fail, not end short`()
        async
    {
        world.use(.foundation)
        var request = world.request("/half", "POST")
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        let streamed = await outcome {
            world.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
        }
        #expect((streamed.error as? URLError)?.code == .requestBodyStreamExhausted)
    }

    @Test
    func `LX-06 a download that was suspended asks for the rest`()
        async throws
    {
        world.use(.foundation)
        addRest()
        let place = world.file("place")
        let log = Log<Outcome>()
        let task = world.manager.downloadTask(
            with: world.request("/rest"),
            destination: { _, _ in place }
        ) { _, place, error in log.add(Outcome(place: place, error)) }
        task.resume()
        while task.countOfBytesReceived < 100_000 { await Task.yield() }
        task.suspend()
        task.resume()
        #expect(await log.reaches(1))
        #expect(log.all.first?.error == nil)
        #expect(try Data(contentsOf: place) == whole)
        let ranges = world.server.requests.map { $0.headers["Range"] }
        #expect(ranges == [nil, "bytes=100000-"])
    }

    @Test(arguments: SessionTransport.both)
    func `suspending and resuming over and over ends with one whole body`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        let (task, log) = world.dataTask(world.request("/bytes/300000?seed=4"))
        for _ in 0..<50 {
            task.resume()
            task.suspend()
        }
        task.resume()
        #expect(await log.reaches(1))
        #expect(log.all.first?.data == GeneratedBytes.bytes(seed: 4, range: 0..<300_000))
    }

    @Test(arguments: SessionTransport.both)
    func `cancelling a suspended task ends it with the error of a cancelled one`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        for wasRunning in [false, true] {
            let (task, log) = world.dataTask(world.request("/gate/never"))
            if wasRunning {
                task.resume()
                task.suspend()
            }
            task.cancel()
            #expect(task.state == .canceling || task.state == .completed)
            #expect(await log.reaches(1))
            #expect((log.all.first?.error as? URLError)?.code == .cancelled)
        }
    }

    @Test(arguments: SessionTransport.both)
    func `resume, suspend and cancel from many threads end a task once`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        for _ in 0..<20 {
            let (task, log) = world.dataTask(world.request("/redirect-chain?n=5"))
            task.resume()
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        if index.isMultiple(of: 2) { task.suspend() } else { task.resume() }
                        if index == 7 { task.cancel() }
                    }
                }
            }
            #expect(await log.reaches(1))
            #expect(log.all.count == 1)
        }
    }

    @Test(arguments: SessionTransport.both)
    func `cancelling and suspending at the moment of a transfer's end stop no process`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        for turn in 0..<150 {
            let log = Log<Bool>()
            let task = world.manager.dataTask(with: world.request("/bytes/2000")) {
                _, object, error in
                log.add((object as? Data)?.count == 2000 || error != nil)
            }
            task.resume()
            for _ in 0..<(turn * 4) { await Task.yield() }
            if turn.isMultiple(of: 3) {
                task.suspend()
                task.resume()
            } else {
                task.cancel()
            }
            #expect(await log.reaches(1))
            #expect(log.all == [true])
        }
    }

    // MARK: - Notifications

    private func notices(_ task: SessionTask) -> Notices {
        Notices(.networkingTaskDidResume, .networkingTaskDidSuspend, of: task)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-14.1 resume posts if the task was not running, and else nothing`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        let task = world.manager.dataTask(with: world.request("/gate/never"))
        let notices = notices(task)
        task.resume()
        task.resume()
        await MainQueue.settle()
        #expect(notices.names == [.networkingTaskDidResume])
        task.cancel()
    }

    @Test(arguments: SessionTransport.both)
    func `UM-14.2 suspend posts if the task was not suspended, and else nothing`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        let task = world.manager.dataTask(with: world.request("/gate/never"))
        let notices = notices(task)
        task.resume()
        task.suspend()
        await MainQueue.settle()
        #expect(notices.names == [.networkingTaskDidResume, .networkingTaskDidSuspend])
        task.cancel()
        let other = world.manager.dataTask(with: world.request("/gate/never"))
        let others = self.notices(other)
        other.suspend()
        await MainQueue.settle()
        #expect(others.names.isEmpty)
        other.cancel()
    }

    @Test(arguments: SessionTransport.both)
    func `UM-14.3 they are posted on main with the task as the object`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        let task = world.manager.dataTask(with: world.request("/gate/never"))
        let notices = notices(task)
        task.resume()
        task.suspend()
        await MainQueue.settle()
        #expect(notices.log.all.map(\.wasMain) == [true, true])
        #expect(notices.log.all.allSatisfy { $0.object === task })
        task.cancel()
    }

    @Test(arguments: SessionTransport.both)
    func `UM-14.4 a task that is not a manager's posts nothing, nor does the one beneath a handle`(
        _ transport: SessionTransport
    )
        async
    {
        world.use(transport)
        let task = world.manager.dataTask(with: world.request("/ok"))
        let notices = Notices(.networkingTaskDidResume, .networkingTaskDidSuspend)
        let foreign = URLSession.shared.dataTask(with: world.request("/ok"))
        foreign.resume()
        task.urlSessionTask?.resume()
        #expect(await world.data("/json").status == 200)
        await MainQueue.settle()
        #expect(!notices.log.all.contains { $0.object === task || $0.object === foreign })
    }

    @Test(arguments: SessionTransport.both)
    func `nothing is posted after the end of a task`(_ transport: SessionTransport) async {
        world.use(transport)
        let log = Log<Bool>()
        let task = world.manager.dataTask(with: world.request("/ok")) { _, _, _ in log.add(true) }
        task.resume()
        #expect(await log.reaches(1))
        // The first one's notification may come after the end.
        await MainQueue.settle()
        let notices = notices(task)
        task.resume()
        task.suspend()
        await MainQueue.settle()
        #expect(notices.names.isEmpty)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-15 a task's description is the caller's`(_ transport: SessionTransport) {
        world.use(transport)
        let task = world.manager.dataTask(with: world.request("/ok"))
        #expect(task.taskDescription == nil)
        task.taskDescription = "mine"
        #expect(task.taskDescription == "mine")
        task.cancel()
    }
}
