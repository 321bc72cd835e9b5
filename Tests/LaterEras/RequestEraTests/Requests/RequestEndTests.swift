import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("The one end of a request", .timeLimit(.minutes(5)))
struct RequestEndTests {
    @Test func `a thousand random orders of suspend, resume and cancel end each exactly once`()
        async throws
    {
        let world = TestWorld.requests()
        // A validation that came after the end would have it posted a second time.
        world.manager.startRequestsImmediately = false
        let count = 1_000
        world.manager.retrier = Retrier.upTo(1, after: 0.001)
        let ends = Locked([Int](repeating: 0, count: count))
        let end = Signal()
        let posted = Posted(world.delegate)
        let random = Locked(SeededNumbers(seed: 23))
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                let steps = random.withLock { random in
                    (0..<6).map { _ in Int.random(in: 0..<5, using: &random) }
                }
                group.addTask {
                    let path = index.isMultiple(of: 3) ? "/status/503" : "/ok"
                    let request = world.get(path).validate()
                    request.response { _ in
                        ends.withLock { $0[index] += 1 }
                        end.fire()
                    }
                    for step in steps {
                        switch step {
                        case 0: request.suspend()
                        case 1, 2: request.resume()
                        case 3: if index.isMultiple(of: 2) { request.cancel() }
                        default: await Task.yield()
                        }
                    }
                    // Suspended as often as it may be, it goes on.
                    for _ in 0..<8 { request.resume() }
                }
            }
        }
        await end.wait(for: count, "every handler")
        await MainQueue.settle()
        #expect(ends.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(posted.count == count)
        // A retry that comes after a cancel is entered for a moment.
        while world.delegate.taskCount > 0, !Task.isCancelled {
            await Task.yield()
        }
        #expect(
            world.delegate.state.withLock { $0.unfinished.isEmpty } && world.delegate.taskCount == 0
        )
    }

    @Test func `DidComplete comes before every handler`() async throws {
        let world = TestWorld.requests()
        let log = Log<String>()
        let queue = DispatchQueue(label: "handlers")
        let posted = Posted(world.delegate) { log.add("end") }
        for _ in 0..<50 {
            let done = Signal()
            world.get("/ok").response(queue: queue) { _ in
                log.add("handler")
                done.fire()
            }
            await done.wait()
        }
        #expect(log.all == [[String]](repeating: ["end", "handler"], count: 50).flatMap { $0 })
        #expect(posted.count == 50)
    }

    @Test func `a request without a task calls each handler once, and posts no end`() async throws {
        let world = TestWorld.requests()
        let posted = Posted(world.delegate)
        let request = world.manager.request("http://[::1")
        request.suspend()
        request.cancel()
        for _ in 0..<3 {
            #expect(await (request.ended().error as? AFError)?.isInvalidURLError == true)
        }
        #expect(posted.count == 0)
        let download = world.manager.download("http://[::1")
        download.cancel()
        download.cancel(createResumeData: false)
        #expect(await (download.ended().error as? AFError)?.isInvalidURLError == true)
    }

    @Test func `a finished request is let go of`() async throws {
        let world = TestWorld.requests()
        let gone = Signal()
        do {
            let sentinel = Sentinel(gone)
            let request = world.get("/ok")
            request.response { _ in sentinel.touch() }
            _ = await request.ended()
        }
        await gone.wait(for: 1, "the request to go")
    }

    @Test func `a handler that is added after the end runs at once`() async throws {
        let world = TestWorld.requests()
        let request = world.get("/ok")
        #expect(await request.ended().error == nil)
        #expect(await request.string().value == "hello world")
        #expect(await request.data().timeline.totalDuration >= 0)
    }

    @Test func `a data task that becomes a download ends its request`() async throws {
        let world = TestWorld.requests()
        let size = Locked(0)
        // `becomeDownload`, which Foundation warns of by name on Linux.
        let disposition = try #require(URLSession.ResponseDisposition(rawValue: 2))
        world.delegate.dataTaskDidReceiveResponse = { _, _, _ in disposition }
        world.delegate.downloadTaskDidFinishDownloadingToURL = { _, _, url in
            size.withLock { $0 = (try? Data(contentsOf: url))?.count ?? 0 }
        }
        let response = await world.get("/ok").ended()
        #expect(response.error == nil && response.response?.statusCode == 200)
        #expect(size.withLock { $0 } == 11)
    }

    @Test func `cancel while a data task becomes a download cancels the download`() async throws {
        let server = LoopbackServer.started(routes: .served)
        defer { server.stop() }
        server.add("/stalls") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "9")])), .stall,
            ])
        }
        let delegate = CancellingDelegate()
        let disposition = try #require(URLSession.ResponseDisposition(rawValue: 2))
        // From another thread than the delegate queue's.
        delegate.dataTaskDidReceiveResponseWithCompletion = { _, _, _, completion in
            DispatchQueue.global().async { completion(disposition) }
        }
        let manager = SessionManager(configuration: .ephemeral, delegate: delegate)
        let response = await manager.request(server.url("/stalls")).ended()
        #expect(response.error?.code == URLError.Code.cancelled.rawValue)
        withExtendedLifetime(manager) {}
    }

    @Test(.timeLimit(.minutes(1)))
    func `a data task that becomes a download ends its request without super in an override`()
        async throws
    {
        let server = LoopbackServer.started(routes: .served)
        defer { server.stop() }
        let delegate = SilentDelegate()
        let disposition = try #require(URLSession.ResponseDisposition(rawValue: 2))
        delegate.dataTaskDidReceiveResponse = { _, _, _ in disposition }
        let manager = SessionManager(configuration: .ephemeral, delegate: delegate)
        let response = await manager.request(server.url("/ok")).ended()
        #expect(response.error == nil && response.response?.statusCode == 200)
        withExtendedLifetime(manager) {}
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func `a request that the delegate has forgotten ends with its task, without another attempt`(
        _ isCancelled: Bool
    ) async throws {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier.upTo(1)
        let posted = Posted(world.delegate)
        let request = world.get("/gate/forgotten").validate { _, _, _ in
            .failure(URLError(.badURL))
        }
        let ended = Log<DefaultDataResponse>()
        request.response(queue: DispatchQueue(label: "handlers")) { ended.add($0) }
        #expect(await world.server.reaches("forgotten"))
        let task = try #require(request.task)
        world.delegate[task] = nil
        if isCancelled { request.cancel() } else { world.server.release("forgotten") }
        #expect(await ended.reaches(1))
        #expect(ended.all.map { $0.error?.code } == [URLError.Code.cancelled.rawValue])
        #expect(ended.all.first?.data?.isEmpty ?? true)
        #expect(request.retryCount == 0 && posted.count == 1)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func `a request whose task got another request ends as if it were forgotten`(
        isOfAnotherManager: Bool
    ) async throws {
        let world = TestWorld.requests()
        let otherManager = SessionManager(configuration: .ephemeral)
        let posted = Posted(world.delegate)
        let request = world.get("/gate/replaced")
        let ended = Log<DefaultDataResponse>()
        request.response(queue: DispatchQueue(label: "handlers")) { ended.add($0) }
        #expect(await world.server.reaches("replaced"))
        let other =
            isOfAnotherManager
            ? otherManager.request(world.server.url("/gate/other")) : world.get("/gate/other")
        #expect(await world.server.reaches("other"))
        let task = try #require(request.task)
        world.delegate[task] = other
        world.server.release("replaced")
        #expect(await ended.reaches(1))
        #expect(ended.all.map { $0.error?.code } == [URLError.Code.cancelled.rawValue])
        #expect(posted.count == 1)
        world.server.release("other")
        #expect(await other.ended().response?.statusCode == 200)
        withExtendedLifetime(otherManager) {}
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func `a forgotten request ends with the download that its data task becomes`(
        getsOther: Bool
    ) async throws {
        let world = TestWorld.requests()
        let disposition = try #require(URLSession.ResponseDisposition(rawValue: 2))
        world.delegate.dataTaskDidReceiveResponse = { _, _, _ in disposition }
        let request = world.get("/gate/forgotten")
        let ended = Log<DefaultDataResponse>()
        request.response(queue: DispatchQueue(label: "handlers")) { ended.add($0) }
        #expect(await world.server.reaches("forgotten"))
        let other = getsOther ? world.get("/gate/other") : nil
        let task = try #require(request.task)
        world.delegate[task] = other
        world.server.release("forgotten")
        #expect(await ended.reaches(1))
        #expect(ended.all.map { $0.error?.code } == [URLError.Code.cancelled.rawValue])
        #expect(request.task is SessionDownloadTask)
        world.server.release("other")
        if let other { #expect(await other.ended().response?.statusCode == 200) }
    }

    /// Does not call `super`.
    final class SilentDelegate: SessionDelegate, @unchecked Sendable {
        // @unchecked because it adds nothing.
        override func urlSession(
            _ session: URLSession, dataTask: SessionDataTask,
            didBecome downloadTask: SessionDownloadTask
        ) {}
    }

    /// Cancels a request whose data task has just become a download.
    final class CancellingDelegate: SessionDelegate, @unchecked Sendable {
        // @unchecked because it adds nothing.
        override func urlSession(
            _ session: URLSession, dataTask: SessionDataTask,
            didBecome downloadTask: SessionDownloadTask
        ) {
            self[dataTask]?.cancel()
            super.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
        }
    }

    /// Counts the ends that a delegate posts.
    final class Posted: @unchecked Sendable {
        // @unchecked because the observer is constant and the count guards itself.
        private let seen = Locked(0)
        private var observer: (any NSObjectProtocol)?

        init(_ delegate: SessionDelegate, _ note: @escaping @Sendable () -> Void = {}) {
            observer = NotificationCenter.default.addObserver(
                forName: Notification.Name.Task.DidComplete, object: delegate, queue: nil
            ) { [seen] _ in
                seen.withLock { $0 += 1 }
                note()
            }
        }

        deinit {
            if let observer { NotificationCenter.default.removeObserver(observer) }
        }

        var count: Int { seen.withLock { $0 } }
    }
}
