import NetworkImages
import CurlConnection
import OperationNetworking
import RequestEra
import SessionEra
import TestSupport

/// Tasks of whole programs: logins that expire, signals, files of images.
extension TaskTests {
    @Test
    func `parameters go out as JSON, with the header field of each request`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/orders") { _ in .json("{\"number\":7}") }
        #expect(try await orderTea(world.server.baseURL) == ["number": 7])
        let request = try #require(world.server.requests.first)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["X-Api-Key"] == "secret")
        let body = try JSONSerialization.jsonObject(with: request.body)
        #expect(body as? [String: Int] == ["tea": 2, "milk": 1])
    }

    @Test
    func `one token is fetched for all requests that were refused`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/token") { _ in .json("{\"token\":\"new\"}") }
        world.server.add("/news") { request in
            request.headers["Authorization"] == "Bearer new"
                ? .json("[1]") : .text("who?", status: 401).after(.wait(gate: "refusals"))
        }
        world.server.hold("refusals")
        let manager = members(world.server.baseURL, token: "old")
        async let all = withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await manager.get("news", as: [Int].self)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(await world.server.sees { $1.count == 3 })
        world.server.release("refusals")
        #expect(try await all == [[1], [1], [1]])
        #expect(world.server.requests.count { $0.path == "/token" } == 1)
        #expect(world.server.requests.count { $0.path == "/news" } == 6)
        let other = TestWorld(programs: .served)
        other.server.add("/news") { _ in .json("[2]") }
        _ = try await manager.get(other.address("/news"), as: [Int].self)
        #expect(other.server.requests.first?.headers["Authorization"] == nil)
    }

    @Test
    func `one token serves operations, a session's tasks and requests`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/news") { request in
            request.headers["Authorization"] == "Bearer new" ? .json("[1]") : .status(401)
        }
        let fetches = Watched(0)
        let token = AccessToken(for: world.server.baseURL, token: "old") {
            fetches.change { $0 += 1 }
            return "new"
        }
        let operations = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        operations.configuration.interceptor = token
        let tasks = HTTPSessionManager(baseURL: world.server.baseURL)
        tasks.interceptor = token
        let requests = SessionManager()
        requests.interceptor = token
        #expect(try await operations.get("news", as: [Int].self) == [1])
        #expect(try await tasks.get("news", as: [Int].self) == [1])
        let value = try await requests.request(world.server.url("/news")).validate()
            .serializingDecodable([Int].self).value
        #expect(value == [1])
        #expect(fetches.now == 1)
        #expect(world.server.requests.count == 4)
        #expect((tasks.copy() as? HTTPSessionManager)?.interceptor != nil)
    }

    @Test
    func `a request whose token cannot be renewed fails with the refusal of the new one`()
        async throws
    {
        let world = TestWorld(programs: .served)
        world.server.add("/token") { _ in .text("no", status: 403) }
        world.server.add("/news") { _ in .text("who?", status: 401) }
        let manager = members(world.server.baseURL, token: "old")
        let error = await #expect(throws: (any Error).self) {
            try await manager.get("news", as: [Int].self)
        }
        let facts = error.map { ($0 as NSError).userInfo }
        let response = facts?[NetworkingError.failingURLResponseKey] as? HTTPURLResponse
        #expect(response?.statusCode == 403)
        #expect(world.server.requests.count { $0.path == "/news" } == 1)
    }

    @Test
    func `SIGINT cancels a download, and the next call goes on from its part`() async throws {
        let world = TestWorld(programs: .served)
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        world.addTape("/image.iso", body)
        let base = world.server.baseURL
        let file = world.file("image.iso")
        let first = Task { try await downloadUntilInterrupted(base, to: file) }
        #expect(await world.server.reaches("half"))
        // Before the source has its handler the signal would end this process.
        #expect(await isSoonHandled(SIGINT))
        kill(getpid(), SIGINT)
        let error = await #expect(throws: (any Error).self) { try await first.value }
        #expect((error as? URLError)?.code == .cancelled, "\(String(describing: error))")
        world.server.release("half")
        _ = try await downloadUntilInterrupted(base, to: file)
        let isWhole = try Data(contentsOf: file) == body
        #expect(isWhole)
    }

    @MainActor
    private func isSoonHandled(_ number: Int32) async -> Bool {
        await comesTrue { isHandled(number) }
    }

    private nonisolated func isHandled(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if os(Linux)
            return action.__sigaction_handler.sa_handler != nil
        #else
            return action.__sigaction_u.__sa_handler != nil
        #endif
    }

    @Test
    func `a thumbnail keeps the proportions of its picture`() async throws {
        let world = TestWorld(programs: .served)
        let picture = try #require(
            DecodedImage(
                pixels: Data(repeating: 255, count: 400 * 300 * 4),
                size: PixelSize(width: 400, height: 300)))
        let png = try PNGEncoder().data(for: picture)
        world.server.add("/picture") { _ in .data(png, contentType: "image/png") }
        try await thumbnail(of: world.server.url("/picture"), to: world.file("1.png"))
        let small = try ImageDecoder().image(from: Data(contentsOf: world.file("1.png")))
        #expect(small.pixelSize == PixelSize(width: 200, height: 150))
    }
}
