import CurlConnection
import TestSupport

@Suite("The cache on the wire", .timeLimit(.minutes(1)))
struct CacheWireTests {
    private static let fresh = [("Cache-Control", "max-age=600")]

    // MARK: Hits

    @Test func `a hundred equal requests, one after the other, cost one hit`() throws {
        try withStoreRoom { room in
            let first = room.load("/cache/600")
            for _ in 1..<100 {
                let heard = room.load("/cache/600")
                #expect(heard.data == first.data)
                #expect(heard.status == 200)
            }
            #expect(room.asked() == ["/cache/600"])
        }
    }

    @Test func `a hundred at once cost no more than were asked before the first answer`() throws {
        try withStoreRoom { room in
            // Requests are not joined: each that finds nothing stored is sent.
            let listeners = (0..<100).map { _ in StoreListener() }
            for listener in listeners { room.start(room.request("/cache/600"), listener) }
            let heard = listeners.map { $0.atEnd() }
            #expect(Set(heard.map(\.data)).count == 1)
            #expect(heard.allSatisfy { $0.status == 200 })
            #expect((1...100).contains(room.asked().count))
            #expect(room.load("/cache/600").status == 200)
            #expect(room.asked().isEmpty)
        }
    }

    @Test func `an answer out of the cache is told like one from the wire, with its age`() throws {
        try withStoreRoom { room in
            room.server.add("/ten") { _ in
                .chunked([Data("hello".utf8), Data("world".utf8)], headers: Self.fresh)
            }
            let wire = room.load("/ten")
            let stored = room.load("/ten")
            #expect(wire.calls == ["willSend", "response", "data", "cache", "finish"])
            #expect(stored.calls == wire.calls.filter { $0 != "cache" })
            #expect(stored.text == "helloworld")
            #expect(stored.response?.url == wire.response?.url)
            #expect(wire.field("Age") == nil)
            #expect(stored.field("Age").flatMap { Int($0) } != nil)
            #expect(room.asked() == ["/ten"])
        }
    }

    @Test func `no call comes inside start`() throws {
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            let listener = StoreListener()
            let during = Box<Int>()
            room.thread.run {
                [configuration = room.configuration, request = room.request("/cache/600")] in
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
        try withStoreRoom { room in
            room.server.add("/none") { _ in .data(Data(), headers: Self.fresh) }
            _ = room.load("/none")
            #expect(room.load("/none").calls == ["willSend", "response", "finish"])
            #expect(room.asked() == ["/none"])
        }
    }

    @Test func `a compressed answer is stored decoded and says nothing of its length`() throws {
        try withStoreRoom { room in
            room.server.add("/zip") { _ in
                .data(Compressed.zeros, headers: Self.fresh + [("Content-Encoding", "gzip")])
            }
            room.configuration.responseCache = try ResponseCache(memoryCapacity: 32 << 20)
            let wire = room.load("/zip")
            let stored = room.load("/zip")
            #expect(stored.data == Data(count: Compressed.decodedCount))
            #expect(stored.response?.expectedContentLength == wire.response?.expectedContentLength)
            #expect(room.asked() == ["/zip"])
        }
    }

    @Test func `an answer that was left coded for its caller is not stored for others`() throws {
        try withStoreRoom { room in
            room.server.add("/br") { _ in
                .text("coded", headers: Self.fresh + [("Content-Encoding", "br")])
            }
            var request = room.request("/br")
            request.setValue("br", forHTTPHeaderField: "Accept-Encoding")
            #expect(room.load(request).text == "coded")
            #expect(room.load("/br").code == .cannotDecodeContentData)
            #expect(room.asked() == ["/br", "/br"])
        }
    }

    @Test func `HEAD is answered out of a stored GET, without a body`() throws {
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            let heard = room.load("/cache/600", "HEAD")
            #expect(heard.calls == ["willSend", "response", "finish"])
            #expect(heard.status == 200)
            #expect(room.asked() == ["/cache/600"])
        }
    }

    // MARK: Questions about a stored answer

    @Test func `a 304 gives the stored answer as a 200 with what is new in its fields`() throws {
        try withStoreRoom { room in
            room.server.add("/tagged") { request in
                let number = request.headers["If-None-Match"] == nil ? "first" : "second"
                let fields = [("ETag", "\"1\""), ("Cache-Control", "no-cache"), ("X-Turn", number)]
                return number == "first"
                    ? .text("body", headers: fields + [("X-Old", "kept")])
                    : .status(304, headers: fields)
            }
            _ = room.load("/tagged")
            let heard = room.load("/tagged")
            #expect(heard.status == 200)
            #expect(heard.text == "body")
            #expect(heard.field("X-Turn") == "second")
            #expect(heard.field("X-Old") == "kept")
            #expect(heard.calls == ["willSend", "response", "data", "finish"])
            #expect(room.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
            // The condition is the cache's; the delegate's request does not show it.
            #expect(heard.lastRequest?.value(forHTTPHeaderField: "If-None-Match") == nil)
        }
    }

    @Test func `what changed takes the place of what was stored`() throws {
        try withStoreRoom { room in
            let turn = Turn()
            room.server.add("/news") { _ in
                let number = turn.next()
                return .text("body \(number)", headers: [("ETag", "\"\(number)\"")])
            }
            #expect(room.load("/news").text == "body 1")
            #expect(room.load("/news").text == "body 2")
            #expect(room.load("/news", policy: .returnCacheDataElseLoad).text == "body 2")
            #expect(room.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
        }
    }

    @Test func `a 304 about another answer is asked again without a condition`() throws {
        try withStoreRoom { room in
            room.server.add("/odd") { request in
                request.headers["If-None-Match"] == nil
                    ? .text("body", headers: [("ETag", "\"1\"")])
                    : .status(304, headers: [("ETag", "\"other\"")])
            }
            _ = room.load("/odd")
            let heard = room.load("/odd")
            #expect(heard.status == 200)
            #expect(heard.text == "body")
            #expect(
                room.server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", nil])
        }
    }

    @Test func `a 304 to the caller's own condition is the caller's`() throws {
        try withStoreRoom { room in
            _ = room.load("/etag/x")
            let heard = room.load("/etag/x", headers: ["If-None-Match": "\"x\""])
            #expect(heard.status == 304)
            #expect(heard.data.isEmpty)
            #expect(heard.calls == ["willSend", "response", "finish"])
        }
    }

    // MARK: What is not given

    @Test func `no-store, and no-store in the request, keep nothing`() throws {
        try withStoreRoom { room in
            room.server.add("/secret") { _ in
                .text("s", headers: [("Cache-Control", "no-store, max-age=600")])
            }
            #expect(!room.load("/secret").calls.contains("cache"))
            #expect(
                !room.load("/cache/600", headers: ["Cache-Control": "no-store"]).calls
                    .contains("cache"))
            _ = room.load("/secret")
            _ = room.load("/cache/600")
            #expect(room.asked() == ["/secret", "/cache/600", "/secret", "/cache/600"])
        }
    }

    @Test func `Vary asks for the field it names, those of the storage included`() throws {
        try withStoreRoom { room in
            room.server.add("/words") { request in
                .text(
                    (request.headers["Accept-Language"] ?? "-") + (request.headers["Cookie"] ?? ""),
                    headers: Self.fresh + [("Vary", "Accept-Language, Cookie")])
            }
            let german = ["Accept-Language": "de"]
            #expect(room.load("/words", headers: german).text == "de")
            #expect(room.load("/words", headers: ["Accept-Language": "fr"]).text == "fr")
            #expect(room.load("/words", headers: german).text == "de")
            #expect(room.asked().count == 2)
            _ = room.load("/cookies/set/a/1")
            #expect(room.load("/words", headers: german).text == "dea=1")
        }
    }

    @Test func `a part of an answer is neither stored nor given`() throws {
        try withStoreRoom { room in
            room.server.add("/part") { request in
                request.headers["Range"] == nil
                    ? .text("abcdef", headers: Self.fresh)
                    : .text(
                        "cd", status: 206,
                        headers: Self.fresh + [("Content-Range", "bytes 2-3/6")])
            }
            let range = ["Range": "bytes=2-3"]
            #expect(room.load("/part", headers: range).text == "cd")
            #expect(room.load("/part").text == "abcdef")
            let heard = room.load("/part", headers: range)
            #expect(heard.text == "cd")
            #expect(heard.status == 206)
            #expect(room.asked().count == 3)
        }
    }

    @Test func `a truncated answer is never stored`() throws {
        try withStoreRoom { room in
            let sized = ScriptedResponse.head(200, [("Content-Length", "9")] + Self.fresh)
            let chunked = ScriptedResponse.head(
                200, [("Transfer-Encoding", "chunked")] + Self.fresh)
            room.server.add("/cut") { _ in
                ScriptedResponse([.bytes(sized + Data("abc".utf8)), .close])
            }
            room.server.add("/chunk") { _ in
                ScriptedResponse([
                    .bytes(chunked + ScriptedResponse.chunk(Data("abc".utf8))), .close,
                ])
            }
            for path in ["/cut", "/chunk"] {
                #expect(room.load(path).calls == ["willSend", "response", "data", "fail"])
                #expect(
                    room.load(path, policy: .returnCacheDataDontLoad).code == .resourceUnavailable)
            }
        }
    }

    @Test func `an answer over the limit for one is delivered whole and not stored`() throws {
        try withStoreRoom { room in
            // A twentieth of 4 MiB is 209,715 bytes.
            room.server.add("/large") { _ in
                .data(Data(count: 250_000), headers: Self.fresh)
            }
            room.server.add("/unsized") { _ in
                .chunked([Data(count: 150_000), Data(count: 100_000)], headers: Self.fresh)
            }
            for path in ["/large", "/unsized", "/large", "/unsized"] {
                let heard = room.load(path)
                #expect(heard.data.count == 250_000)
                #expect(heard.calls == ["willSend", "response", "data", "finish"])
            }
            #expect(room.asked().count == 4)
            #expect(room.cache.currentMemoryUsage == 0)
        }
    }

    // MARK: Policies

    @Test func `the policies of a request do what their names say`() throws {
        try withStoreRoom { room in
            let path = "/etag/x"
            func asked(_ policy: URLRequest.CachePolicy) -> ([String?], StoreHeard) {
                room.server.resetLog()
                let heard = room.load(path, policy: policy)
                return (room.server.requests.map { $0.headers["If-None-Match"] }, heard)
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
            #expect(room.server.requests.first?.headers["Cache-Control"] == "no-cache")
        }
    }

    @Test func `what does not load fails like a load, after the first request was proposed`() throws
    {
        try withStoreRoom { room in
            let heard = room.load("/ok", policy: .returnCacheDataDontLoad)
            #expect(heard.calls == ["willSend", "fail"])
            #expect(heard.error?.failingURL == room.server.url("/ok"))
            #expect(room.server.statistics.connectionsAccepted == 0)
        }
    }

    @Test func `without a cache nothing is stored, and the shared one is the default`() throws {
        #expect(URLConnectionConfiguration().responseCache === ResponseCache.shared)
        #expect(ResponseCache.shared.memoryCapacity == 4 << 20)
        #expect(ResponseCache.shared.diskCapacity == 0)
        try withStoreRoom { room in
            let cache = room.cache
            room.configuration.responseCache = nil
            #expect(!room.load("/cache/600").calls.contains("cache"))
            #expect(!room.load("/cache/600").calls.contains("cache"))
            #expect(room.asked().count == 2)
            #expect(cache.currentMemoryUsage == 0)
        }
    }
}
