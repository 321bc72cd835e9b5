import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionEra
import TestSupport

@Suite(
    "What `.connection` does and Foundation on Linux does not: UM-09, UM-20, UM-21, UM-25, UM-26",
    .timeLimit(.minutes(1)))
struct OwnTransportTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test
    func `it is what a manager has when nothing else is said, also after a copy and an archive`()
        throws
    {
        #expect(URLSessionManager().transport == .connection)
        #expect(HTTPSessionManager(baseURL: nil).transport == .connection)
        for transport in SessionTransport.both {
            let manager = HTTPSessionManager(baseURL: nil, transport: transport)
            let copy = try #require(manager.copy() as? HTTPSessionManager)
            #expect(copy.transport == transport)
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: manager, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(
                ofClass: HTTPSessionManager.self, from: data)
            #expect(read?.transport == transport)
        }
    }

    // MARK: - Metrics

    @Test
    func
        `UM-25 the block hears of the times once, before the end; task and notification have them`()
        async throws
    {
        let order = Log<String>()
        let measured = Log<RequestMetrics>()
        bench.manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
            order.add("metrics")
            metrics.map(measured.add)
        }
        bench.manager.setTaskDidComplete { _, _, _ in order.add("complete") }
        let task = bench.manager.dataTask(with: bench.request("/redirect?to=/bytes/50000"))
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
        let told = notices.log.all.first?.info[networkingTaskDidCompleteSessionTaskMetricsKey]
        #expect((told as? RequestMetrics)?.redirectCount == 1)
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
        bench.manager.setDataTaskDidReceiveDataBlock { _, _, data in pieces.add(data.count) }
        bench.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .cancel }
        let outcome = await bench.data("/bytes/300000")
        #expect((outcome.error as? URLError)?.code == .cancelled)
        #expect(pieces.all.isEmpty)
    }

    @Test
    func `UM-09 a data task becomes a download, with its handler, its progress and its file`()
        async throws
    {
        let place = Bench.freshPlace()
        defer { try? FileManager.default.removeItem(at: place) }
        let becomeDownload = try #require(URLSession.ResponseDisposition(rawValue: 2))
        bench.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in becomeDownload }
        let became = Log<(SessionDataTask, SessionDownloadTask)>()
        bench.manager.setDataTaskDidBecomeDownloadTaskBlock { _, data, download in
            became.add((data, download))
        }
        bench.manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in place }
        let log = Log<Bench.Outcome>()
        let progress = Log<Int64>()
        let task = bench.manager.dataTask(
            with: bench.request("/bytes/300000?seed=3"),
            downloadProgress: { progress.add($0.completedUnitCount) }
        ) { response, object, error in
            log.add(
                Bench.Outcome(
                    response: response as? HTTPURLResponse, object: object, error: error))
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
        #expect(bench.manager.tasks.isEmpty)
        #expect(bench.server.requests.count == 1)
    }

    /// A data task that became a download and waits at the gate "rest" with its body.
    private func becoming() throws -> (request: URLRequest, became: Log<SessionDownloadTask>) {
        let becomeDownload = try #require(URLSession.ResponseDisposition(rawValue: 2))
        bench.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in becomeDownload }
        let became = Log<SessionDownloadTask>()
        bench.manager.setDataTaskDidBecomeDownloadTaskBlock { _, _, download in
            became.add(download)
        }
        bench.server.add("/rest") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "4")])),
                .wait(gate: "rest"), .bytes(Data("rest".utf8)),
            ])
        }
        return (bench.request("/rest"), became)
    }

    @Test
    func `UM-09 who waits for the data task cancels the download`() async throws {
        let (request, became) = try becoming()
        let ended = Log<(any Error)?>()
        bench.manager.setTaskDidComplete { _, _, error in ended.add(error) }
        let waiting = Task { [bench] in
            _ = try await bench.manager.result(for: request)
        }
        #expect(await became.reaches(1))
        waiting.cancel()
        await #expect(throws: URLError.self) { try await waiting.value }
        #expect(await ended.reaches(1))
        #expect((ended.all.first as? URLError)?.code == .cancelled)
        #expect(bench.manager.tasks.isEmpty)
    }

    @Test
    func `UM-09 suspend and resume of the data task are the download's`() async throws {
        let (request, became) = try becoming()
        let log = Log<Bench.Outcome>()
        let task = bench.manager.dataTask(with: request) { response, _, error in
            log.add(Bench.Outcome(response: response as? HTTPURLResponse, error: error))
        }
        task.resume()
        #expect(await became.reaches(1))
        let download = try #require(became.all.first)
        task.suspend()
        #expect(task.state == .completed && download.state == .suspended)
        task.resume()
        #expect(download.state == .running)
        bench.server.release("rest")
        #expect(await log.reaches(1))
        #expect(log.all.first?.error == nil && download.countOfBytesReceived == 4)
    }

    // MARK: - The cache

    private func cached(_ fields: [(String, String)] = [("Cache-Control", "max-age=60")]) {
        bench.server.add("/cached") { _ in
            .data(Data("fresh".utf8), headers: fields)
        }
    }

    @Test
    func `UM-26 a response is served from the cache, as its block stored it`() async throws {
        cached()
        #expect(await bench.data("/cached").text == "fresh")
        #expect(await bench.data("/cached").text == "fresh")
        #expect(bench.server.requests.count == 1)
        let offered = Log<String>()
        bench.manager.setDataTaskWillCacheResponseBlock { _, _, response in
            offered.add(String(decoding: response.data, as: UTF8.self))
            return CachedURLResponse(
                response: response.response, data: response.data, userInfo: nil,
                storagePolicy: .notAllowed)
        }
        bench.manager.connectionConfiguration = {
            var own = URLConnectionConfiguration()
            own.responseCache = try? ResponseCache(memoryCapacity: 1 << 20)
            return own
        }()
        #expect(await bench.data("/cached").text == "fresh")
        #expect(await bench.data("/cached").text == "fresh")
        #expect(offered.all == ["fresh", "fresh"])
        #expect(bench.server.requests.count == 3)
    }

    // MARK: - Redirects and bodies

    private enum Body: CaseIterable { case bytes, file, stream, form }

    private func send(_ kind: Body, _ body: Data, _ file: URL, to path: String) async throws
        -> Bench.Outcome
    {
        var request = bench.request(path, method: "POST")
        request.setValue("text/mine", forHTTPHeaderField: "Content-Type")
        let manager = bench.manager
        switch kind {
        case .bytes:
            return await bench.outcome {
                manager.uploadTask(with: request, from: body, completionHandler: $0)
            }
        case .file:
            return await bench.outcome {
                manager.uploadTask(with: request, fromFile: file, completionHandler: $0)
            }
        case .stream:
            manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: body) }
            defer { manager.setTaskNeedNewBodyStreamBlock(nil) }
            return await bench.outcome {
                manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
            }
        case .form:
            let form = try HTTPRequestSerializer().multipartFormRequest(
                method: "POST", urlString: bench.server.url(path).absoluteString, parameters: nil
            ) { $0.appendPart(formData: body, name: "part") }
            return await bench.outcome {
                manager.uploadTask(withStreamedRequest: form, completionHandler: $0)
            }
        }
    }

    @Test
    func `UM-20 307 and 308 repeat the body; 301, 302 and 303 drop it with its content type`()
        async throws
    {
        let body = GeneratedBytes.bytes(seed: 6, range: 0..<120_000)
        let file = Bench.freshPlace()
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for kind in Body.allCases {
            for status in [307, 308] {
                let outcome = try await send(
                    kind, body, file, to: "/redirect?to=/upload&status=\(status)")
                #expect(outcome.status == 200, "\(kind) \(status)")
                let pair = bench.server.requests.suffix(2).map(\.body)
                #expect(pair.count == 2 && pair.first == pair.last, "\(kind) \(status)")
                #expect(pair.last.map { $0.count >= body.count } == true)
            }
            for status in [301, 302, 303] {
                let outcome = try await send(
                    kind, body, file, to: "/redirect?to=/ok&status=\(status)")
                #expect(outcome.text == "hello world", "\(kind) \(status)")
                let last = try #require(bench.server.requests.last)
                #expect(last.method == "GET" && last.bodyLength == 0)
                #expect(last.headers["Content-Type"] == nil)
                #expect(last.headers["Content-Length"] == nil)
            }
        }
    }

    @Test
    func `a GET with a body is sent`() async {
        var request = bench.request("/echo")
        request.httpBody = Data("body".utf8)
        #expect(await bench.data(request).status == 200)
        #expect(bench.server.requests.last?.body == Data("body".utf8))
    }

    // MARK: - Ends

    @Test
    func `a transfer that is cut short is a lost connection, -1005`() async {
        let outcome = await bench.data("/truncated?length=1000&sent=100")
        #expect((outcome.error as? URLError)?.code == .networkConnectionLost)
        let place = Bench.freshPlace()
        let download = await bench.download("/truncated?length=1000&sent=100", to: place)
        #expect((download.error as? URLError)?.code == .networkConnectionLost)
    }

    @Test
    func `LX-09 the limit for the whole task ends it while bytes move`() async throws {
        let bench = try Bench { $0.timeoutIntervalForResource = 3_600 }
        let clock = TurnableClock()
        var connection = URLConnectionConfiguration()
        connection.clock = clock.clock
        bench.manager.connectionConfiguration = connection
        async let outcome = bench.data("/trickle?bytes=2000&gap=0.02")
        #expect(await bench.server.sees { now, _ in now.bytesSent > 100 })
        clock.turn(by: 3_600)
        #expect((await outcome.error as? URLError)?.code == .timedOut)
    }

    // MARK: - Settings of the configuration

    @Test
    func `the configuration's fields, time-out and cookies reach the transport`() async throws {
        let bench = try Bench {
            $0.httpAdditionalHeaders = ["X-Mine": "all", "X-Own": "all"]
            $0.timeoutIntervalForRequest = 0.3
        }
        bench.server.add("/cookie") { _ in
            .data(Data(), headers: [("Set-Cookie", "a=b; Path=/")])
        }
        var request = bench.request("/cookie")
        request.setValue("own", forHTTPHeaderField: "X-Own")
        _ = await bench.data(request)
        _ = await bench.data("/ok")
        let (first, second) = (bench.server.requests.first, bench.server.requests.last)
        #expect(first?.headers["X-Mine"] == "all" && first?.headers["X-Own"] == "own")
        #expect(second?.headers["Cookie"] == "a=b")
        var hanging = URLRequest(url: bench.server.url("/hang"))
        #expect((await bench.data(hanging).error as? URLError)?.code == .timedOut)
        hanging = bench.request("/cookie")
        hanging.httpShouldHandleCookies = false
        _ = await bench.data(hanging)
        #expect(bench.server.requests.last?.headers["Cookie"] == nil)
        let other = try Bench { $0.httpShouldSetCookies = false }
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
        let bench = try Bench {
            $0.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": 7, "HTTPPort": "x"]
        }
        let outcome = await bench.data("/ok")
        #expect((outcome.error as? URLError)?.code == .cannotConnectToHost)
        #expect(bench.server.requests.isEmpty)
    }

    // MARK: - Adoption

    @Test(arguments: SessionTransport.both)
    func `UM-03 a manager takes over the tasks of another, with their handlers`(
        _ transport: SessionTransport
    ) async throws {
        bench.use(transport)
        let handled = Log<String>()
        let task = bench.manager.dataTask(with: bench.request("/gate/adopted")) { _, object, _ in
            handled.add((object as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "none")
        }
        let (old, new) = (Log<String>(), Log<String>())
        bench.manager.setTaskDidComplete { _, _, _ in old.add("complete") }
        task.resume()
        #expect(await bench.server.reaches("adopted"))
        let manager = HTTPSessionManager(baseURL: nil, adoptingTasksOf: bench.manager)
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        manager.responseSerializer = HTTPResponseSerializer()
        manager.setTaskDidComplete { _, _, _ in new.add("complete") }
        #expect(manager.transport == transport)
        #expect(manager.tasks == [task] && bench.manager.tasks.isEmpty)
        bench.server.release("adopted")
        #expect(await handled.reaches(1))
        #expect(await new.reaches(1))
        #expect(handled.all == ["passed adopted"])
        #expect(old.all.isEmpty)
        #expect(manager.tasks.isEmpty)
        #expect(await bench.data("/ok").text == "hello world")
        #expect(await old.reaches(1))
        #expect(old.all == ["complete"] && new.all == ["complete"])
    }
}
