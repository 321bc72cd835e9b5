import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionEra
import TestSupport

@Suite(
    "What tasks do and Foundation on Linux does not: UM-09, UM-20, UM-21, UM-25, UM-26",
    .timeLimit(.minutes(1)))
struct OwnTransportTests {
    private let world = TestWorld.sessions()

    // MARK: - Metrics

    @Test
    func
        `UM-25 the block hears of the times once, before the end; task and notification have them`()
        async throws
    {
        let order = Log<String>()
        let measured = Log<RequestMetrics>()
        world.manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
            order.add("metrics")
            metrics.map(measured.add)
        }
        world.manager.setTaskDidComplete { _, _, _ in order.add("complete") }
        let task = world.manager.dataTask(with: world.request("/redirect?to=/bytes/50000"))
        let notices = Notices(.networkingTaskDidComplete, of: task)
        task.resume()
        #expect(await notices.log.reaches(1))
        #expect(await order.reaches(2))
        #expect(order.all == ["metrics", "complete"])
        let metrics = try #require(measured.all.first)
        #expect(metrics.redirectCount == 1)
        #expect(metrics.transactionMetrics.count == 2)
        #expect(metrics.transactionMetrics.last?.countOfResponseBodyBytesReceived == 50_000)
        #expect(task.metrics?.transactionMetrics.count == 2)
        let reported = notices.log.all.first?.info[networkingTaskDidCompleteSessionTaskMetricsKey]
        #expect((reported as? RequestMetrics)?.redirectCount == 1)
        let all = try #require(task.metrics)
        let queued = try #require(all.queuedDate)
        let start = try #require(all.startDate)
        let ended = try #require(all.responseCompletedDate)
        let serialized = try #require(all.serializedDate)
        let calledBack = try #require(all.calledBackDate)
        #expect(queued <= start && start <= ended)
        #expect(ended <= serialized && serialized <= calledBack)
    }

    // MARK: - Dispositions

    @Test
    func `UM-21 a task that is cancelled at its response gets no byte of the body`() async {
        let pieces = Log<Int>()
        world.manager.setDataTaskDidReceiveDataBlock { _, _, data in pieces.add(data.count) }
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .cancel }
        let outcome = await world.data("/bytes/300000")
        #expect((outcome.error as? URLError)?.code == .cancelled)
        #expect(pieces.all.isEmpty)
    }

    @Test
    func `UM-09 a data task becomes a download, with its handler, its progress and its file`()
        async throws
    {
        let place = world.file("place")
        let becomeDownload = try #require(URLSession.ResponseDisposition(rawValue: 2))
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in becomeDownload }
        let became = Log<(SessionDataTask, SessionDownloadTask)>()
        world.manager.setDataTaskDidBecomeDownloadTaskBlock { _, data, download in
            became.add((data, download))
        }
        world.manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in place }
        let log = Log<Outcome>()
        let progress = Log<Int64>()
        let task = world.manager.dataTask(
            with: world.request("/bytes/300000?seed=3"),
            downloadProgress: { progress.add($0.completedUnitCount) }
        ) { response, object, error in
            log.add(Outcome(response, object, error))
        }
        task.resume()
        #expect(await log.reaches(1))
        let outcome = try #require(log.all.first)
        #expect(outcome.error == nil && outcome.status == 200)
        #expect(outcome.object as? URL == place)
        #expect(try Data(contentsOf: place) == GeneratedBytes.bytes(seed: 3, range: 0..<300_000))
        let (data, download) = try #require(became.all.first)
        #expect(data === task && data.state == .completed && data.error == nil)
        #expect(download.state == .completed && download.countOfBytesReceived == 300_000)
        #expect(progress.all.last == 300_000)
        #expect(world.manager.tasks.isEmpty)
        #expect(world.server.requests.count == 1)
    }

    /// A data task that became a download and waits at the gate "rest" with its body.
    private func becoming() throws -> (request: URLRequest, became: Log<SessionDownloadTask>) {
        let becomeDownload = try #require(URLSession.ResponseDisposition(rawValue: 2))
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in becomeDownload }
        let became = Log<SessionDownloadTask>()
        world.manager.setDataTaskDidBecomeDownloadTaskBlock { _, _, download in
            became.add(download)
        }
        world.server.add("/rest") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "4")])),
                .wait(gate: "rest"), .bytes(Data("rest".utf8)),
            ])
        }
        return (world.request("/rest"), became)
    }

    @Test
    func `UM-09 who waits for the data task cancels the download`() async throws {
        let (request, became) = try becoming()
        let ended = Log<(any Error)?>()
        world.manager.setTaskDidComplete { _, _, error in ended.add(error) }
        let waiting = Task { [world] in
            _ = try await world.manager.result(for: request)
        }
        #expect(await became.reaches(1))
        waiting.cancel()
        await #expect(throws: URLError.self) { try await waiting.value }
        #expect(await ended.reaches(1))
        #expect((ended.all.first as? URLError)?.code == .cancelled)
        #expect(world.manager.tasks.isEmpty)
    }

    @Test
    func `UM-09 suspend and resume of the data task are the download's`() async throws {
        let (request, became) = try becoming()
        let (task, log) = world.dataTask(request)
        task.resume()
        #expect(await became.reaches(1))
        let download = try #require(became.all.first)
        task.suspend()
        #expect(task.state == .completed && download.state == .suspended)
        task.resume()
        #expect(download.state == .running)
        world.server.release("rest")
        #expect(await log.reaches(1))
        #expect(log.all.first?.error == nil && download.countOfBytesReceived == 4)
    }

    // MARK: - The cache

    private func cached(_ fields: [(String, String)] = [("Cache-Control", "max-age=60")]) {
        world.server.add("/cached") { _ in
            .data(Data("fresh".utf8), headers: fields)
        }
    }

    @Test
    func `UM-26 a response is served from the cache, as its block stored it`() async throws {
        cached()
        #expect(await world.data("/cached").text == "fresh")
        #expect(await world.data("/cached").text == "fresh")
        #expect(world.server.requests.count == 1)
        let offered = Log<String>()
        world.manager.setDataTaskWillCacheResponseBlock { _, _, response in
            offered.add(String(decoding: response.data, as: UTF8.self))
            return CachedURLResponse(
                response: response.response, data: response.data, userInfo: nil,
                storagePolicy: .notAllowed)
        }
        world.manager.connectionConfiguration = {
            var own = URLConnectionConfiguration()
            own.responseCache = try? ResponseCache(memoryCapacity: 1 << 20)
            return own
        }()
        #expect(await world.data("/cached").text == "fresh")
        #expect(await world.data("/cached").text == "fresh")
        #expect(offered.all == ["fresh", "fresh"])
        #expect(world.server.requests.count == 3)
    }

    // MARK: - Redirects and bodies

    private enum Body: CaseIterable { case bytes, file, stream, form }

    private func send(_ kind: Body, _ body: Data, _ file: URL, to path: String) async throws
        -> Outcome
    {
        var request = world.request(path, "POST")
        request.setValue("text/mine", forHTTPHeaderField: "Content-Type")
        let manager = world.manager
        switch kind {
        case .bytes:
            return await world.outcome {
                manager.uploadTask(with: request, from: body, completionHandler: $0)
            }
        case .file:
            return await world.outcome {
                manager.uploadTask(with: request, fromFile: file, completionHandler: $0)
            }
        case .stream:
            manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: body) }
            defer { manager.setTaskNeedNewBodyStreamBlock(nil) }
            return await world.outcome {
                manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
            }
        case .form:
            let form = try HTTPRequestSerializer().multipartFormRequest(
                method: "POST", urlString: world.address(path), parameters: nil
            ) { $0.appendPart(formData: body, name: "part") }
            return await world.outcome {
                manager.uploadTask(withStreamedRequest: form, completionHandler: $0)
            }
        }
    }

    @Test
    func `UM-20 307 and 308 repeat the body; 301, 302 and 303 drop it with its content type`()
        async throws
    {
        let body = GeneratedBytes.bytes(seed: 6, range: 0..<120_000)
        let file = TestWorld.freshPlace()
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for kind in Body.allCases {
            for status in [307, 308] {
                let outcome = try await send(
                    kind, body, file, to: "/redirect?to=/upload&status=\(status)")
                #expect(outcome.status == 200, "\(kind) \(status)")
                let pair = world.server.requests.suffix(2).map(\.body)
                #expect(pair.count == 2 && pair.first == pair.last, "\(kind) \(status)")
                #expect(pair.last.map { $0.count >= body.count } == true)
            }
            for status in [301, 302, 303] {
                let outcome = try await send(
                    kind, body, file, to: "/redirect?to=/ok&status=\(status)")
                #expect(outcome.text == "hello world", "\(kind) \(status)")
                let last = try #require(world.server.requests.last)
                #expect(last.method == "GET" && last.bodyLength == 0)
                #expect(last.headers["Content-Type"] == nil)
                #expect(last.headers["Content-Length"] == nil)
            }
        }
    }

    // MARK: - Ends

    @Test
    func `a transfer that is cut short is a lost connection, -1005`() async {
        let outcome = await world.data("/truncated?length=1000&sent=100")
        #expect((outcome.error as? URLError)?.code == .networkConnectionLost)
        #expect(outcome.object == nil)
        let place = TestWorld.freshPlace()
        let download = await world.download("/truncated?length=1000&sent=100", to: place)
        #expect((download.error as? URLError)?.code == .networkConnectionLost)
    }

    @Test
    func `LX-09 the limit for the whole task ends it while bytes move`() async throws {
        let world = TestWorld.sessions { $0.timeoutIntervalForResource = 3_600 }
        let clock = TurnableClock()
        var connection = URLConnectionConfiguration()
        connection.clock = clock.clock
        world.manager.connectionConfiguration = connection
        async let outcome = world.data("/trickle?bytes=2000&gap=0.02")
        #expect(await world.server.sees { now, _ in now.bytesSent > 100 })
        clock.turn(by: 3_600)
        #expect((await outcome.error as? URLError)?.code == .timedOut)
    }

    // MARK: - Settings of the configuration

    @Test
    func `the configuration's fields, time-out and cookies reach the transport`() async throws {
        let world = TestWorld.sessions {
            $0.httpAdditionalHeaders = ["X-Mine": "all", "X-Own": "all"]
            $0.timeoutIntervalForRequest = 0.3
        }
        world.server.add("/cookie") { _ in
            .data(Data(), headers: [("Set-Cookie", "a=b; Path=/")])
        }
        var request = world.request("/cookie")
        request.setValue("own", forHTTPHeaderField: "X-Own")
        _ = await world.data(request)
        _ = await world.data("/ok")
        let (first, second) = (world.server.requests.first, world.server.requests.last)
        #expect(first?.headers["X-Mine"] == "all" && first?.headers["X-Own"] == "own")
        #expect(second?.headers["Cookie"] == "a=b")
        var hanging = URLRequest(url: world.server.url("/hang"))
        #expect((await world.data(hanging).error as? URLError)?.code == .timedOut)
        hanging = world.request("/cookie")
        hanging.httpShouldHandleCookies = false
        _ = await world.data(hanging)
        #expect(world.server.requests.last?.headers["Cookie"] == nil)
        let other = TestWorld.sessions { $0.httpShouldSetCookies = false }
        other.server.add("/cookie") { _ in
            .data(Data(), headers: [("Set-Cookie", "a=b; Path=/")])
        }
        _ = await other.data("/cookie")
        _ = await other.data("/ok")
        #expect(other.server.requests.last?.headers["Cookie"] == nil)
    }

    @Test
    func `a proxy dictionary that cannot be read fails the task and nothing goes past it`()
        async throws
    {
        let world = TestWorld.sessions {
            $0.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": 7, "HTTPPort": "x"]
        }
        let outcome = await world.data("/ok")
        #expect((outcome.error as? URLError)?.code == .cannotConnectToHost)
        #expect(world.server.requests.isEmpty)
    }

    // MARK: - Adoption

    @Test func `UM-03 a manager takes over the tasks of another, with their handlers`() async throws
    {
        let handled = Log<String>()
        let task = world.manager.dataTask(with: world.request("/gate/adopted")) { _, object, _ in
            handled.add((object as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "none")
        }
        let (old, new) = (Log<String>(), Log<String>())
        world.manager.setTaskDidComplete { _, _, _ in old.add("complete") }
        task.resume()
        #expect(await world.server.reaches("adopted"))
        let manager = HTTPSessionManager(baseURL: nil, adoptingTasksOf: world.manager)
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        manager.responseSerializer = HTTPResponseSerializer()
        manager.setTaskDidComplete { _, _, _ in new.add("complete") }
        #expect(manager.tasks == [task] && world.manager.tasks.isEmpty)
        world.server.release("adopted")
        #expect(await handled.reaches(1))
        #expect(await new.reaches(1))
        #expect(handled.all == ["passed adopted"])
        #expect(old.all.isEmpty)
        #expect(manager.tasks.isEmpty)
        #expect(await world.data("/ok").text == "hello world")
        #expect(await old.reaches(1))
        #expect(old.all == ["complete"] && new.all == ["complete"])
    }

    @Test func `UM-03 it takes over those of a session that was reset, without another one`()
        async throws
    {
        let (old, new) = (Log<String>(), Log<String>())
        world.manager.setTaskDidComplete { _, _, _ in old.add("complete") }
        let task = world.manager.dataTask(with: world.request("/gate/reset"))
        task.resume()
        #expect(await world.server.reaches("reset"))
        world.manager.invalidateSessionCancelingTasks(false, resetSession: true)
        let manager = URLSessionManager(adoptingTasksOf: world.manager)
        manager.setTaskDidComplete { _, _, _ in new.add("complete") }
        #expect(manager.tasks == [task] && world.manager.tasks.isEmpty)
        world.server.release("reset")
        #expect(await new.reaches(1))
        #expect(old.all.isEmpty)
    }
}
