import TestSupport

/// The sources that Documentation/Migration/Await.md shows do what it says.
@Suite("Sources with await", .timeLimit(.minutes(1)))
struct AwaitSourceTests {
    @Test func `operations, tasks and requests return their objects`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/prices") { request in
            .json(encoding: [request.query["currency"] ?? request.headers["X-Client"] ?? ""])
        }
        world.server.add("/price") { _ in .json(#"{"name": "tea", "euros": 3.5}"#) }
        #expect(try await awaitedPrices(world.baseURL) == ["EUR", "shop/2", "tea"])
    }

    @Test func `events are read as they come, and the connection is closed with the loop`()
        async throws
    {
        let world = TestWorld(programs: .standard)
        world.server.add("/news") { request in
            guard request.headers["Accept"] == "text/event-stream" else { return .status(406) }
            let head = ScriptedResponse.head(200, [("Content-Type", "text/event-stream")])
            let text = "data: weather\n\nevent: headline\ndata: tea is cheap\n\n"
            return ScriptedResponse([.bytes(head), .bytes(Data(text.utf8)), .stall])
        }
        #expect(try await firstNews(world.baseURL) == "tea is cheap")
        #expect(
            world.server.waitUntil(timeout: 10) { statistics, _ in statistics.connectionsOpen == 0 }
        )
    }

    @Test func `a loop sees the progress, and ends with the request`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/film") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "8")])),
                .bytes(Data("half".utf8)), .wait(gate: "rest"), .bytes(Data("half".utf8)),
            ])
        }
        let (seen, continuation) = AsyncStream.makeStream(of: Double.self)
        async let data = film(world.server.url("/film")) { continuation.yield($0) }
        var parts = seen.makeAsyncIterator()
        #expect(await parts.next() == 0.5)
        world.server.release("rest")
        #expect(try await data == Data("halfhalf".utf8))
        #expect(await parts.next() == 1)
        continuation.finish()
        #expect(await parts.next() == nil)
    }
}
