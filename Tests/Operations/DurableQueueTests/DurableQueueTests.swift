import CurlConnection
import HTTPSemantics
import OperationNetworking
import TestSupport

@testable import DurableQueue

@Suite("A durable queue", .timeLimit(.minutes(5)))
struct DurableQueueTests {
    // MARK: Accepting and sending

    @Test func `what is accepted is sent, told and gone`() async throws {
        let world = TestWorld.durable()
        let queue = try await world.open()
        let id = try await queue.add(world.post("/in/1", body: Data("one".utf8)))
        await queue.waitUntilEmpty()
        #expect(world.outcomes == ["delivered 200"] && world.reported.all.first?.id == id)
        #expect(world.keys == [id.uuidString])
        #expect(world.server.requests.first?.body == Data("one".utf8))
        #expect(queue.entries.isEmpty)
        await queue.close()
        #expect(try DurableStore.open(world.queueFolder.path).entries.isEmpty)
    }

    @Test func `what one process accepted the next sends, as it was`() async throws {
        let world = TestWorld.durable()
        let first = try await world.open { $0.isSuspended = true }
        var request = world.post("/in/1", "PUT", body: Data("one".utf8))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.timeoutInterval = 17
        let id = try await first.add(request)
        #expect(first.entries.map(\.reason) == [.suspended])
        await first.close()
        let second = try await world.open()
        await second.waitUntilEmpty()
        let sent = try #require(world.server.requests.first)
        #expect(sent.method == "PUT" && sent.body == Data("one".utf8))
        #expect(sent.headers["Authorization"] == "Bearer secret")
        #expect(world.keys == [id.uuidString])
    }

    @Test func `a key of the caller's stays`() async throws {
        let world = TestWorld.durable()
        let queue = try await world.open()
        var request = world.post("/in/1")
        request.setValue("mine", forHTTPHeaderField: "Idempotency-Key")
        try await queue.add(request)
        await queue.waitUntilEmpty()
        #expect(world.keys == ["mine"])
    }

    @Test(arguments: [0, 1, BodyStore.inlineLength, BodyStore.inlineLength + 1, 1_000_000])
    func `a body of any length outlives its file and its process`(length: Int) async throws {
        let world = TestWorld.durable()
        let first = try await world.open { $0.isSuspended = true }
        let body = generated(5, Int64(length))
        let file = world.queueFolder.appendingPathComponent("mine")
        try body.write(to: file)
        try await first.add(world.post("/in/file"), fromFile: file, orderedBy: "k")
        try FileManager.default.removeItem(at: file)
        try await first.add(world.post("/in/data", body: body), orderedBy: "k")
        await first.close()
        let second = try await world.open()
        await second.waitUntilEmpty()
        #expect(world.paths == ["/in/file", "/in/data"])
        #expect(world.server.requests.map(\.body) == [body, body])
        #expect(world.server.requests.allSatisfy { $0.headers["Content-Length"] == "\(length)" })
        let bodies = world.queueFolder.appendingPathComponent("bodies").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: bodies).isEmpty)
    }

    @Test func `a stored body that was changed is not sent`() async throws {
        let world = TestWorld.durable()
        let first = try await world.open { $0.isSuspended = true }
        try await first.add(world.post("/in/1", body: generated(5, 100_000)))
        await first.close()
        let bodies = world.queueFolder.appendingPathComponent("bodies")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: bodies.path).first)
        var bytes = try Data(contentsOf: bodies.appendingPathComponent(name))
        bytes[70_000] ^= 1
        try bytes.write(to: bodies.appendingPathComponent(name))
        let second = try await world.open()
        await second.waitUntilEmpty()
        #expect(world.outcomes == ["failed 7"])
        #expect(world.paths.isEmpty)
    }

    @Test func `what can never be sent is refused at once`() async throws {
        let world = TestWorld.durable()
        let queue = try await world.open { options in
            options.maximumEntries = 1
            options.maximumBodyLength = 50_000
            options.isSuspended = true
        }
        var streamed = world.post("/in/1")
        streamed.httpBodyStream = InputStream(data: Data("x".utf8))
        let other = URLRequest(url: URL(fileURLWithPath: "/etc/passwd"))
        var long = world.post("/in/1")
        long.setValue(String(repeating: "x", count: 1 << 18), forHTTPHeaderField: "X-Long")
        for request in [streamed, other, long] {
            let error = await #expect(throws: DurableQueueError.self) {
                try await queue.add(request)
            }
            #expect(error?.errorCode == 4)
        }
        let body = world.post("/in/1", body: Data(count: 50_001))
        var error = await #expect(throws: DurableQueueError.self) { try await queue.add(body) }
        #expect(error?.errorCode == 5)
        try await queue.add(world.post("/in/1"))
        error = await #expect(throws: DurableQueueError.self) {
            try await queue.add(world.post("/in/2", body: Data(count: 40_000)))
        }
        #expect(error?.errorCode == 5)
        #expect(queue.entries.count == 1)
        let bodies = world.queueFolder.appendingPathComponent("bodies").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: bodies).isEmpty)
    }

    // MARK: Order

    @Test func `one key is sent in order, also behind a failure, and other keys go on`()
        async throws
    {
        let world = TestWorld.durable()
        let tries = Watched(0)
        world.server.add("/in/a1") { _ in
            tries.change { count in
                count += 1
                return count
            } > 1 ? .text("in") : .status(503)
        }
        let queue = try await world.open()
        let first = try await queue.add(world.post("/in/a1"), orderedBy: "a")
        let second = try await queue.add(world.post("/in/a2"), orderedBy: "a")
        try await queue.add(world.post("/in/b1"), orderedBy: "b")
        #expect(await waits(queue, first) { if case .retry? = $0 { true } else { false } })
        #expect(await waits(queue, second) { $0 == .order })
        #expect(await world.reported.reaches(1))
        #expect(!world.paths.contains("/in/a2"))
        world.clock.turn(by: 2)
        await queue.waitUntilEmpty()
        #expect(world.paths.filter { $0 != "/in/b1" } == ["/in/a1", "/in/a1", "/in/a2"])
        #expect(world.keys.filter { $0 == first.uuidString }.count == 2)
    }

    @Test func `the next of a key waits until the first has been answered`() async throws {
        let world = TestWorld.durable()
        world.server.add("/in/held") { _ in .text("in").after(.wait(gate: "held")) }
        let queue = try await world.open()
        try await queue.add(world.post("/in/held"), orderedBy: "a")
        for number in 0..<20 {
            try await queue.add(world.post("/in/\(number)"), orderedBy: "a")
        }
        #expect(await world.server.reaches("held"))
        try await queue.add(world.post("/in/other"))
        #expect(await world.server.sees { $1.contains { $0.path == "/in/other" } })
        #expect(world.paths.count == 2)
        world.server.release("held")
        await queue.waitUntilEmpty()
        #expect(
            world.paths.filter { $0 != "/in/other" } == ["/in/held"] + (0..<20).map { "/in/\($0)" })
    }

    @Test func `no more are with the manager than may be, and each that waits says why`()
        async throws
    {
        let world = TestWorld.durable()
        world.server.add("/in/held") { _ in .text("in").after(.wait(gate: "held")) }
        let queue = try await world.open { $0.maximumConcurrentEntries = 3 }
        for _ in 0..<10 { try await queue.add(world.post("/in/held")) }
        #expect(await world.server.reaches("held", count: 3))
        #expect(queue.entries.count { $0.reason == .concurrency } == 7)
        #expect(world.paths.count == 3)
        world.server.release("held")
        await queue.waitUntilEmpty()
        #expect(world.server.statistics.peakInFlight == 3)
    }

    // MARK: Failures

    @Test func `each status has the outcome of the table`() async throws {
        let world = TestWorld.durable()
        for status in [204, 301, 400, 401, 404, 410, 422, 501] {
            world.server.add("/s/\(status)") { _ in .status(status) }
        }
        let queue = try await world.open()
        for status in [204, 301, 400, 401, 404, 410, 422, 501] {
            try await queue.add(world.post("/s/\(status)"), orderedBy: "k")
        }
        await queue.waitUntilEmpty()
        #expect(
            world.outcomes == ["delivered 204"]
                + [301, 400, 401, 404, 410, 422, 501].map { "refused \($0)" })
        #expect(world.paths.count == 8)
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func `a status of a moment is tried again under the same key, after a restart too`(
        status: Int
    ) async throws {
        let world = TestWorld.durable()
        let tries = Watched(0)
        world.server.add("/busy") { _ in
            tries.change { count in
                count += 1
                return count
            } > 2 ? .text("in") : .status(status, headers: [("Retry-After", "3600")])
        }
        let first = try await world.open()
        let id = try await first.add(world.post("/busy"))
        #expect(await waits(first, id) { if case .retry? = $0 { true } else { false } })
        #expect(first.entries.map(\.lastFailure) == [.status(status)])
        await first.close()
        // What the server asked for counts for the next process.
        let second = try await world.open()
        #expect(await waits(second, id) { if case .retry? = $0 { true } else { false } })
        #expect(second.entries.map(\.attempts) == [1])
        world.clock.turn(by: 3_590)
        #expect(world.paths.count == 1)
        world.clock.turn(by: 15)
        #expect(await world.server.sees { $1.count == 2 })
        #expect(await waits(second, id) { if case .retry? = $0 { true } else { false } })
        world.clock.turn(by: 3_605)
        await second.waitUntilEmpty()
        #expect(world.keys == Array(repeating: id.uuidString, count: 3))
        #expect(world.outcomes == ["delivered 200"])
    }

    @Test func `without a server it waits, and the manager's own policy adds no tries`()
        async throws
    {
        let world = TestWorld.durable()
        let port = world.server.port
        let manager = world.manager()
        manager.configuration.retryPolicy = RetryPolicy()
        let queue = try await world.open(manager)
        let request = world.post("/in/1")
        world.server.stop()
        let id = try await queue.add(request)
        for attempt in 1...3 {
            #expect(await waits(queue, id) { if case .retry? = $0 { true } else { false } })
            #expect(await waitUntil { world.clock.alarms.contains { $0 <= 10 } })
            #expect(queue.entries.map(\.lastFailure) == [.error(.cannotConnectToHost)])
            #expect(queue.entries.map(\.attempts) == [attempt])
            if attempt < 3 { world.clock.turnToNext() }
        }
        try world.server.start(port: port)
        world.clock.turnToNext()
        await queue.waitUntilEmpty()
        // Each was one request, and the last of them came.
        #expect(world.outcomes == ["delivered 200"] && world.paths == ["/in/1"])
    }

    @Test func `while the manager is offline nothing is sent, and the reason is told`() async throws
    {
        let world = TestWorld.durable()
        let manager = world.manager()
        manager.isOffline = true
        let queue = try await world.open(manager)
        var request = world.post("/in/1")
        // Not this machine, as the gate sees it.
        request.url = URL(string: "http://far.test:\(world.server.port)/in/1")
        manager.configuration.hostAddresses = ["far.test": ["127.0.0.1"]]
        let id = try await queue.add(request)
        #expect(await waits(queue, id) { $0 == .manager(.offline) })
        #expect(world.paths.isEmpty)
        manager.isOffline = false
        await queue.waitUntilEmpty()
        #expect(world.outcomes == ["delivered 200"])
    }

    @Test func `operations that others cancel are sent again`() async throws {
        let world = TestWorld.durable()
        world.server.add("/in/held") { _ in .text("in").after(.wait(gate: "held")) }
        let manager = world.manager()
        let queue = try await world.open(manager)
        let id = try await queue.add(world.post("/in/held"))
        #expect(await world.server.reaches("held"))
        manager.cancelAllOperations()
        #expect(await waits(queue, id) { if case .retry? = $0 { true } else { false } })
        world.server.release("held")
        world.clock.turn(by: 2)
        await queue.waitUntilEmpty()
        #expect(world.keys == [id.uuidString, id.uuidString])
    }

    // MARK: The disk

    @Test func `many that are added at once are all there`() async throws {
        let world = TestWorld.durable()
        let queue = try await world.open { $0.isSuspended = true }
        let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
            for index in 0..<200 {
                group.addTask { try await queue.add(world.post("/in/\(index)")) }
            }
            return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
        }
        await queue.close()
        #expect(ids.count == 200)
        let second = try await world.open()
        await second.waitUntilEmpty()
        #expect(Set(world.keys) == Set(ids.map(\.uuidString)) && world.keys.count == 200)
        await #expect(throws: DurableQueueError.closed) {
            try await queue.add(world.post("/in/1"))
        }
    }
}
