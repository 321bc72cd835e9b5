import OperationNetworking
import SessionEra
import TestSupport

@Suite("Tasks of a session that tasks wait for", .timeLimit(.minutes(1)))
struct AwaitedTaskTests {
    private let world = TestWorld.sessions()
    private let manager: HTTPSessionManager

    init() {
        manager = HTTPSessionManager(
            baseURL: world.server.baseURL, sessionConfiguration: .ephemeral)
        for verb in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            world.server.add("/echo/\(verb)") { request in
                .json(
                    encoding: [
                        request.method, request.query["a"] ?? "",
                        String(decoding: request.body, as: UTF8.self),
                        request.headers["X-One"] ?? "",
                    ])
            }
        }
        world.server.add("/events") { _ in
            ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(
                        200,
                        [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])),
                .bytes(ScriptedResponse.chunk(Data("data: a\n\n".utf8))), .stall,
            ])
        }
    }

    private func list(_ object: Any?) -> [String]? { object as? [String] }

    // MARK: - Results

    @Test func `each verb returns its object`() async throws {
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        let (a, one) = (["a": "1"], ["X-One": "1"])
        #expect(
            list(try await manager.get("echo/GET", parameters: a, headers: one))
                == ["GET", "1", "", "1"])
        #expect(
            list(try await manager.post("echo/POST", parameters: a)) == ["POST", "", "a=1", ""])
        #expect(list(try await manager.put("echo/PUT", parameters: a)) == ["PUT", "", "a=1", ""])
        #expect(
            list(try await manager.patch("echo/PATCH", parameters: a)) == ["PATCH", "", "a=1", ""])
        #expect(
            list(try await manager.delete("echo/DELETE", parameters: a)) == ["DELETE", "1", "", ""])
        #expect(try await manager.head("json")?.statusCode == 200)
        let form = try await manager.post("echo/POST", parameters: a) { form in
            form.appendPart(formData: Data("file".utf8), name: "b")
        }
        #expect(list(form)?[2].contains("file") == true)
    }

    @Test func `a request's object, an upload's and a download's file are returned`() async throws {
        let (object, response) = try await world.manager.result(for: world.request("/ok"))
        #expect(object as? Data == Data("hello world".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        world.server.add("/length") { .text("\($0.body.count)") }
        let sent = try await world.manager.upload(
            for: world.request("/length", "POST"), from: Data(count: 1_234))
        #expect(sent.object as? Data == Data("1234".utf8))
        let place = world.file("place")
        let (file, _) = try await world.manager.download(for: world.request("/ok")) { _, _ in place
        }
        #expect(file == place)
        #expect(try Data(contentsOf: place) == Data("hello world".utf8))
    }

    @Test func `errors are thrown: of the request, the serializer and the session`() async throws {
        await #expect(throws: (any Error).self) {
            _ = try await manager.get("json", headers: ["A": "b\r\nc"])
        }
        await #expect(throws: (any Error).self) { _ = try await manager.get("status/500") }
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        await #expect(throws: SessionError.sessionInvalidated) { _ = try await manager.get("json") }
    }

    // MARK: - Cancelling

    @Test func `cancelling either task closes the socket and throws`() async throws {
        world.server.add("/stalled") { _ in ScriptedResponse([.wait(gate: "a")]) }
        for byTask in [true, false] {
            let arrived = world.server.statistics.requests
            let task = Task { _ = try await world.manager.result(for: world.request("/stalled")) }
            #expect(await world.server.sees { statistics, _ in statistics.requests > arrived })
            if byTask { task.cancel() } else { world.manager.tasks.forEach { $0.cancel() } }
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(await world.server.sees { statistics, _ in statistics.connectionsOpen == 0 })
        }
    }

    @Test func `a task that was cancelled before it waits sends nothing`() async throws {
        let gate = Signal()
        let task = Task {
            await gate.wait()
            _ = try await world.manager.result(for: world.request("/ok"))
        }
        task.cancel()
        gate.fire()
        await #expect(throws: URLError.self) { try await task.value }
        #expect(try await world.manager.result(for: world.request("/json")).object != nil)
        #expect(world.server.requests.map(\.path) == ["/json"])
        #expect(world.manager.tasks.isEmpty)
    }

    // MARK: - Bodies

    @Test func `a body comes as it is read, while the manager's blocks see it too`() async throws {
        let seen = Log<Int>()
        world.manager.setDataTaskDidReceiveDataBlock { _, _, data in seen.add(data.count) }
        let (bytes, response) = try await world.manager.bytes(
            for: world.request("/bytes/3000000?seed=3"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        var data = Data()
        for try await chunk in bytes.chunks { data.append(chunk) }
        #expect(data == GeneratedBytes.bytes(seed: 3, range: 0..<3_000_000))
        #expect(seen.all.reduce(0, +) == 3_000_000)
    }

    @Test func `leaving the loop closes the socket, and so does cancelling either task`()
        async throws
    {
        for way in 0..<3 {
            let first = Signal()
            let task = Task {
                let (bytes, _) = try await world.manager.bytes(for: world.request("/events"))
                for try await event in bytes.events {
                    #expect(event.data == "a")
                    first.fire()
                    if way == 0 { break }
                }
            }
            await first.wait()
            if way == 1 { task.cancel() }
            if way == 2 { world.manager.tasks.forEach { $0.cancel() } }
            let result = await task.result
            if way > 0 {
                let error = #expect(throws: URLError.self) { try result.get() }
                #expect(error?.code == .cancelled)
            }
            #expect(await world.server.sees { statistics, _ in statistics.connectionsOpen == 0 })
        }
    }

    @Test func `a reader that is behind stops the server, and a suspension holds besides`()
        async throws
    {
        let size: Int64 = 48 << 20
        let (bytes, _) = try await world.manager.bytes(for: world.request("/bytes/\(size)?seed=9"))
        var chunks = bytes.chunks.makeAsyncIterator()
        var data = try #require(try await chunks.next())
        for _ in 0..<30 { _ = try await world.manager.result(for: world.request("/bytes/200000")) }
        #expect(world.server.statistics.bytesSent - 30 * 200_000 < 24 << 20)
        let task = try #require(world.manager.tasks.first)
        task.suspend()
        task.resume()
        while let chunk = try await chunks.next() { data.append(chunk) }
        #expect(BodyHash.of(data) == GeneratedBytes.hash(seed: 9, range: 0..<size))
    }

    @Test func `a body that is cut throws, and one that becomes a download`() async throws {
        let head = ScriptedResponse.head(200, [("Content-Length", "20")])
        world.server.add("/short") { _ in
            ScriptedResponse([.bytes(head), .bytes(Data("a\n".utf8)), .close])
        }
        let (short, _) = try await world.manager.bytes(for: world.request("/short"))
        await #expect(throws: URLError.self) { for try await _ in short.lines {} }
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in
            URLSession.ResponseDisposition(rawValue: 2) ?? .allow
        }
        await #expect(throws: (any Error).self) {
            let (bytes, _) = try await world.manager.bytes(for: world.request("/ok"))
            for try await _ in bytes {}
        }
    }

    @Test func `1,000 cancels at random moments: each wait ends once, and no task is left`()
        async throws
    {
        var random = SeededNumbers(seed: 5)
        for _ in 0..<10 {
            let rounds = (0..<100).map { _ in Int.random(in: 0..<40, using: &random) }
            await withTaskGroup(of: Void.self) { group in
                for count in rounds {
                    group.addTask {
                        let task = Task {
                            let (bytes, _) = try await world.manager.bytes(
                                for: world.request("/bytes/40000"))
                            for try await _ in bytes.chunks {}
                        }
                        for _ in 0..<count { await Task.yield() }
                        task.cancel()
                        _ = await task.result
                    }
                }
            }
        }
        while !world.manager.tasks.isEmpty { await Task.yield() }
        #expect(await world.server.sees { statistics, _ in statistics.inFlight == 0 })
    }
}
