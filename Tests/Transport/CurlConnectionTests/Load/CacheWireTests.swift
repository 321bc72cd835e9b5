import CurlConnection
import TestSupport

@Suite("The cache on the wire", .timeLimit(.minutes(1)))
struct CacheWireTests {
    private static let fresh = [("Cache-Control", "max-age=600")]

    // MARK: Hits

    @Test func `a hundred at once cost no more than were asked before the first answer`() throws {
        try withWorld { world in
            // Requests are not joined: each that finds nothing stored is sent.
            let listeners = (0..<100).map { _ in StoreListener() }
            for listener in listeners { world.start(world.request("/cache/600"), listener) }
            let heard = listeners.map { $0.atEnd() }
            #expect(Set(heard.map(\.data)).count == 1)
            #expect(heard.allSatisfy { $0.status == 200 })
            #expect((1...100).contains(world.asked().count))
            #expect(world.fetch("/cache/600").status == 200)
            #expect(world.asked().isEmpty)
        }
    }

    @Test func `an answer out of the cache is told like one from the wire, with its age`() throws {
        try withWorld { world in
            world.server.add("/ten") { _ in
                .chunked([Data("hello".utf8), Data("world".utf8)], headers: Self.fresh)
            }
            let wire = world.fetch("/ten")
            let stored = world.fetch("/ten")
            #expect(wire.calls == ["willSend", "response", "data", "cache", "finish"])
            #expect(stored.calls == wire.calls.filter { $0 != "cache" })
            #expect(stored.text == "helloworld")
            #expect(stored.response?.url == wire.response?.url)
            #expect(wire.field("Age") == nil)
            #expect(stored.field("Age").flatMap { Int($0) } != nil)
            #expect(world.asked() == ["/ten"])
        }
    }

    @Test func `no call comes inside start`() throws {
        try withWorld { world in
            _ = world.fetch("/cache/600")
            let listener = StoreListener()
            let during = Box<Int>()
            world.thread.run {
                [configuration = world.configuration, request = world.request("/cache/600")] in
                let connection = URLConnection(
                    request: request, delegate: listener, startImmediately: false)
                connection.configuration = configuration
                connection.start()
                during.value = listener.heard.calls.count
            }
            #expect(listener.atEnd().ends == 1)
            #expect(during.value == 0)
        }
    }

    @Test func `an empty answer is an answer`() throws {
        try withWorld { world in
            world.server.add("/none") { _ in .data(Data(), headers: Self.fresh) }
            _ = world.fetch("/none")
            #expect(world.fetch("/none").calls == ["willSend", "response", "finish"])
            #expect(world.asked() == ["/none"])
        }
    }

    @Test func `a compressed answer is stored decoded and says nothing of its length`() throws {
        try withWorld { world in
            world.server.add("/zip") { _ in
                .data(Compressed.zeros, headers: Self.fresh + [("Content-Encoding", "gzip")])
            }
            world.configuration.responseCache = try ResponseCache(memoryCapacity: 32 << 20)
            let wire = world.fetch("/zip")
            let stored = world.fetch("/zip")
            #expect(stored.data == Data(count: Compressed.decodedCount))
            #expect(stored.response?.expectedContentLength == wire.response?.expectedContentLength)
            #expect(world.asked() == ["/zip"])
        }
    }

    @Test func `an answer that was left coded for its caller is not stored for others`() throws {
        try withWorld { world in
            world.server.add("/br") { _ in
                .text("coded", headers: Self.fresh + [("Content-Encoding", "br")])
            }
            var request = world.request("/br")
            request.setValue("br", forHTTPHeaderField: "Accept-Encoding")
            #expect(world.fetch(request).text == "coded")
            #expect(world.fetch("/br").code == .cannotDecodeContentData)
            #expect(world.asked() == ["/br", "/br"])
        }
    }

    // MARK: Questions about a stored answer

    @Test func `a 304 gives the stored answer as a 200 with what is new in its fields`() throws {
        try withWorld { world in
            world.server.add("/tagged") { request in
                let number = request.headers["If-None-Match"] == nil ? "first" : "second"
                let fields = [("ETag", "\"1\""), ("Cache-Control", "no-cache"), ("X-Turn", number)]
                return number == "first"
                    ? .text("body", headers: fields + [("X-Old", "kept")])
                    : .status(304, headers: fields)
            }
            _ = world.fetch("/tagged")
            let heard = world.fetch("/tagged")
            #expect(heard.status == 200)
            #expect(heard.text == "body")
            #expect(heard.field("X-Turn") == "second")
            #expect(heard.field("X-Old") == "kept")
            #expect(heard.calls == ["willSend", "response", "data", "finish"])
            #expect(world.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
            // The condition is the cache's; the delegate's request does not show it.
            #expect(heard.lastRequest?.value(forHTTPHeaderField: "If-None-Match") == nil)
        }
    }

    @Test func `a 304 about another answer is asked again without a condition`() throws {
        try withWorld { world in
            world.server.add("/odd") { request in
                request.headers["If-None-Match"] == nil
                    ? .text("body", headers: [("ETag", "\"1\"")])
                    : .status(304, headers: [("ETag", "\"other\"")])
            }
            _ = world.fetch("/odd")
            let heard = world.fetch("/odd")
            #expect(heard.status == 200)
            #expect(heard.text == "body")
            #expect(
                world.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", nil])
        }
    }

    // MARK: What is not given

    @Test func `Vary asks for the field it names, those of the storage included`() throws {
        try withWorld { world in
            world.server.add("/words") { request in
                .text(
                    (request.headers["Accept-Language"] ?? "-") + (request.headers["Cookie"] ?? ""),
                    headers: Self.fresh + [("Vary", "Accept-Language, Cookie")])
            }
            let german = ["Accept-Language": "de"]
            #expect(world.fetch("/words", headers: german).text == "de")
            #expect(world.fetch("/words", headers: ["Accept-Language": "fr"]).text == "fr")
            #expect(world.fetch("/words", headers: german).text == "de")
            #expect(world.asked().count == 2)
            _ = world.fetch("/cookies/set/a/1")
            #expect(world.fetch("/words", headers: german).text == "dea=1")
        }
    }

    @Test func `a truncated answer is never stored`() throws {
        try withWorld { world in
            let sized = ScriptedResponse.head(200, [("Content-Length", "9")] + Self.fresh)
            let chunked = ScriptedResponse.head(
                200, [("Transfer-Encoding", "chunked")] + Self.fresh)
            world.server.add("/cut") { _ in
                ScriptedResponse([.bytes(sized + Data("abc".utf8)), .close])
            }
            world.server.add("/chunk") { _ in
                ScriptedResponse([
                    .bytes(chunked + ScriptedResponse.chunk(Data("abc".utf8))), .close,
                ])
            }
            for path in ["/cut", "/chunk"] {
                #expect(world.fetch(path).calls == ["willSend", "response", "data", "fail"])
                #expect(
                    world.fetch(path, policy: .returnCacheDataDontLoad).code == .resourceUnavailable
                )
            }
        }
    }

    @Test func `an answer over the limit for one is delivered whole and not stored`() throws {
        try withWorld { world in
            // A twentieth of 4 MiB is 209,715 bytes.
            world.server.add("/large") { _ in
                .data(Data(count: 250_000), headers: Self.fresh)
            }
            world.server.add("/unsized") { _ in
                .chunked([Data(count: 150_000), Data(count: 100_000)], headers: Self.fresh)
            }
            for path in ["/large", "/unsized", "/large", "/unsized"] {
                let heard = world.fetch(path)
                #expect(heard.data.count == 250_000)
                #expect(heard.calls == ["willSend", "response", "data", "finish"])
            }
            #expect(world.asked().count == 4)
            #expect(world.cache.currentMemoryUsage == 0)
        }
    }

    // MARK: Policies

    @Test func `the policies of a request do what their names say`() throws {
        try withWorld { world in
            let path = "/etag/x"
            func asked(_ policy: URLRequest.CachePolicy) -> ([String?], StoreHeard) {
                world.server.resetLog()
                let heard = world.fetch(path, policy: policy)
                return (world.server.requests.map { $0.headers["If-None-Match"] }, heard)
            }
            #expect(asked(.returnCacheDataDontLoad).1.code == .resourceUnavailable)
            #expect(asked(.returnCacheDataDontLoad).0.isEmpty)
            #expect(asked(.returnCacheDataElseLoad).0 == [nil])
            #expect(asked(.returnCacheDataElseLoad).0.isEmpty)
            #expect(asked(.returnCacheDataDontLoad).1.status == 200)
            #expect(asked(.useProtocolCachePolicy).0 == ["\"x\""])
            #expect(asked(.reloadRevalidatingCacheData).0 == ["\"x\""])
            #expect(asked(.reloadIgnoringLocalCacheData).0 == [nil])
            #expect(asked(.reloadIgnoringLocalAndRemoteCacheData).0 == [nil])
            #expect(world.server.requests.first?.headers["Cache-Control"] == "no-cache")
        }
    }

    @Test func `what does not load fails like a load, after the first request was proposed`() throws
    {
        try withWorld { world in
            let heard = world.fetch("/ok", policy: .returnCacheDataDontLoad)
            #expect(heard.calls == ["willSend", "fail"])
            #expect(heard.error?.failingURL == world.server.url("/ok"))
            #expect(world.server.statistics.connectionsAccepted == 0)
        }
    }

    @Test func `without a cache nothing is stored, and the shared one is the default`() throws {
        #expect(URLConnectionConfiguration().responseCache === ResponseCache.shared)
        #expect(ResponseCache.shared.memoryCapacity == 4 << 20)
        #expect(ResponseCache.shared.diskCapacity == 0)
        try withWorld { world in
            let cache = world.cache
            world.configuration.responseCache = nil
            #expect(!world.fetch("/cache/600").calls.contains("cache"))
            #expect(!world.fetch("/cache/600").calls.contains("cache"))
            #expect(world.asked().count == 2)
            #expect(cache.currentMemoryUsage == 0)
        }
    }
}
