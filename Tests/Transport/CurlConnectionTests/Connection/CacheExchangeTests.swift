import CurlConnection
import ProxyPeer
import TestSupport

@Suite("The cache and what else a load does", .timeLimit(.minutes(1)))
struct CacheExchangeTests {
    private static let fresh = [("Cache-Control", "max-age=600")]

    // MARK: Ways

    @Test func `what came through an HTTP proxy is given to who asks through that one alone`()
        throws
    {
        try withStoreRoom { room in
            room.server.add("/shared") { _ in
                .text("x", headers: Self.fresh)
            }
            let peers = [try HTTPProxy(), try HTTPProxy()]
            defer { peers.forEach { $0.stop() } }
            let ways: [ProxySetting] = [
                .fixed(try peers[0].proxy()), .direct, .fixed(try peers[1].proxy()),
                .fixed(try peers[1].proxy("user", "password")),
            ]
            for way in ways {
                room.configuration.proxy = way
                #expect(room.load("/shared").text == "x")
                #expect(room.asked().count == 1, "\(way)")
                #expect(room.load("/shared").text == "x")
                #expect(room.asked().isEmpty, "\(way)")
            }
            room.configuration.proxy = ways[0]
            #expect(room.load("/shared").text == "x")
            #expect(room.asked().isEmpty)
        }
    }

    // MARK: Unsafe methods

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"])
    func `an unsafe method that succeeds takes the URL's answers away`(method: String) throws {
        try withStoreRoom { room in
            room.server.add("/thing") { _ in .text("thing", headers: Self.fresh) }
            _ = room.load("/thing")
            _ = room.load("/thing", method)
            _ = room.load("/thing")
            #expect(room.server.requests.map(\.method) == ["GET", method, "GET"])
        }
    }

    @Test func `an unsafe method that fails takes nothing away`() throws {
        try withStoreRoom { room in
            room.server.add("/thing") { request in
                request.method == "GET" ? .text("thing", headers: Self.fresh) : .status(500)
            }
            _ = room.load("/thing")
            _ = room.load("/thing", "POST")
            #expect(room.load("/thing").text == "thing")
            #expect(room.server.requests.map(\.method) == ["GET", "POST"])
        }
    }

    @Test(arguments: [302, 303])
    func `an unsafe method answered by a redirect that is followed takes it away`(
        status: Int
    ) throws {
        try withStoreRoom { room in
            room.server.add("/thing") { request in
                request.method == "GET"
                    ? .text("thing", headers: Self.fresh) : .redirect(to: "/ok", status: status)
            }
            _ = room.load("/thing")
            #expect(room.load("/thing", "POST").text == "hello world")
            _ = room.load("/thing")
            #expect(room.server.requests.map(\.target) == ["/thing", "/thing", "/ok", "/thing"])
        }
    }

    // MARK: Redirects

    @Test func `a redirect's target is answered out of the cache`() throws {
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            #expect(room.load("/redirect?to=/cache/600").status == 200)
            #expect(room.asked() == ["/cache/600", "/redirect?to=/cache/600"])
        }
    }

    @Test func `a redirect that is followed is not stored`() throws {
        try withStoreRoom { room in
            room.server.add("/moved") { _ in
                .text("", status: 301, headers: Self.fresh + [("Location", "/ok")])
            }
            #expect(room.load("/moved").text == "hello world")
            #expect(room.load("/moved").text == "hello world")
            #expect(room.asked().filter { $0 == "/moved" }.count == 2)
        }
    }

    @Test func `a redirect that one delegate refuses is followed for the next`() throws {
        try withStoreRoom { room in
            room.server.add("/moved") { _ in
                .text("moved", status: 301, headers: Self.fresh + [("Location", "/ok")])
            }
            let listener = StoreListener()
            listener.onWillSend = { request, redirect in redirect == nil ? request : nil }
            #expect(room.load(room.request("/moved"), listener).status == 301)
            let heard = room.load("/moved")
            #expect(heard.text == "hello world")
            #expect(heard.status == 200)
        }
    }

    // MARK: Credentials

    @Test(arguments: ["Basic", "Digest"])
    func `what one credential was given is not given to who has none, or another`(
        scheme: String
    ) throws {
        try withStoreRoom { room in
            room.server.add("/mine") { request in
                guard let field = request.headers["Authorization"] else {
                    return .text(
                        "", status: 401,
                        headers: [
                            ("WWW-Authenticate", "\(scheme) realm=\"r\", nonce=\"n\", qop=\"auth\"")
                        ])
                }
                return .text("for \(field)", headers: Self.fresh)
            }
            let listener = StoreListener()
            listener.credential = URLCredential(user: "one", password: "p", persistence: .none)
            #expect(room.load(room.request("/mine"), listener).status == 200)
            // Then nobody else sees it
            #expect(room.load("/mine").status == 401)
            let second = StoreListener()
            second.credential = URLCredential(user: "two", password: "p", persistence: .none)
            let first = listener.heard.text
            #expect(room.load(room.request("/mine"), second).text != first)
        }
    }

    @Test func `an Authorization field of the caller's selects its own answer`() throws {
        try withStoreRoom { room in
            room.server.add("/mine") { request in
                .text(request.headers["Authorization"] ?? "none", headers: Self.fresh)
            }
            for _ in 0..<2 {
                #expect(
                    room.load("/mine", headers: ["Authorization": "Bearer a"]).text == "Bearer a")
                #expect(
                    room.load("/mine", headers: ["Authorization": "Bearer b"]).text == "Bearer b")
                #expect(room.load("/mine").text == "none")
            }
            #expect(room.asked().count == 3)
        }
    }

    // MARK: Trust

    @Test func `an answer that one trust accepted is not given to a stricter one`() throws {
        try withSecureRoom { room in
            room.server.add("/mine") { _ in .text("mine", headers: Self.fresh) }
            var configuration = URLConnectionConfiguration()
            configuration.responseCache = try ResponseCache(memoryCapacity: 4 << 20)
            func load(verifiesChain: Bool) -> StoreHeard {
                room.load(configuration) { $0.trustRequirements.verifiesChain = verifiesChain }
            }
            // Given a stored answer of a server that nobody vouches for
            #expect(load(verifiesChain: false).text == "mine")
            #expect(load(verifiesChain: false).text == "mine")
            #expect(room.server.requests.count == 1)
            // Then who asks for a chain is told that there is none
            #expect(load(verifiesChain: true).error != nil)
            #expect(room.server.requests.count == 1)
        }
    }

    @Test func `an answer that only its delegate vouched for is not stored`() throws {
        try withSecureRoom { room in
            room.server.add("/mine") { _ in .text("mine", headers: Self.fresh) }
            var configuration = URLConnectionConfiguration()
            configuration.responseCache = try ResponseCache(memoryCapacity: 4 << 20)
            for _ in 0..<2 {
                let listener = StoreListener()
                listener.vouches = true
                let heard = room.load(configuration, listener)
                #expect(heard.text == "mine")
                #expect(!heard.calls.contains("cache"))
            }
            #expect(room.load(configuration).error != nil)
            #expect(room.server.requests.count == 2)
        }
    }

    // MARK: A server that fails

    private func failing(_ room: StoreRoom, _ failure: ScriptedResponse, _ more: String = "")
        -> String
    {
        let turn = Turn()
        room.server.add("/news") { _ in
            turn.next() == 1
                ? .text(
                    "stored", headers: [("Cache-Control", "max-age=0, stale-if-error=600\(more)")])
                : failure
        }
        _ = room.load("/news")
        return "/news"
    }

    @Test(arguments: [500, 502, 503, 504])
    func `stale-if-error stands in for a failing server`(status: Int) throws {
        try withStoreRoom { room in
            let path = failing(room, .text("broken", status: status))
            let heard = room.load(path)
            #expect(heard.text == "stored")
            #expect(heard.status == 200)
            #expect(heard.calls == ["willSend", "response", "data", "finish"])
            #expect(room.server.statistics.requests == 2)
        }
    }

    @Test func `stale-if-error stands in for a connection that is refused, closed or silent`()
        throws
    {
        try withStoreRoom { room in
            #expect(room.load(failing(room, ScriptedResponse([.close]))).text == "stored")
            var request = room.request(failing(room, ScriptedResponse([.stall])))
            request.timeoutInterval = 1
            #expect(room.load(request).text == "stored")
            room.server.stop()
            let url = try #require(request.url)
            #expect(room.load(URLRequest(url: url)).text == "stored")
        }
    }

    @Test func `a body that breaks off after its head is an error, stale answer or not`() throws {
        try withStoreRoom { room in
            let head = ScriptedResponse.head(200, [("Content-Length", "9")])
            let path = failing(room, ScriptedResponse([.bytes(head + Data("abc".utf8)), .close]))
            let heard = room.load(path)
            #expect(heard.code == .networkConnectionLost)
            #expect(heard.ends == 1)
        }
    }

    @Test func `must-revalidate lets no stale answer stand in, nor does a 404`() throws {
        try withStoreRoom { room in
            #expect(room.load(failing(room, .status(500), ", must-revalidate")).status == 500)
            #expect(room.load(failing(room, .status(404))).status == 404)
        }
    }

    // MARK: The delegate's part

    @Test func `the delegate may change what is stored, and only that`() throws {
        try withStoreRoom { room in
            let listener = StoreListener()
            listener.onWillCache = { _, offered in
                CachedURLResponse(
                    response: offered.response, data: Data("changed".utf8), userInfo: ["k": "v"],
                    storagePolicy: .allowed)
            }
            let wire = room.load(room.request("/cache/600"), listener)
            #expect(wire.text.contains("headers"))
            #expect(wire.offered?.data == wire.data)
            #expect(wire.offered?.response === wire.response)
            let stored = room.load("/cache/600")
            #expect(stored.text == "changed")
            let kept = room.cache.cachedResponse(for: room.request("/cache/600"))
            #expect(kept?.userInfo?["k"] as? String == "v")
            #expect(room.asked() == ["/cache/600"])
        }
    }

    @Test func `nil, and a policy that does not allow it, keep an answer out`() throws {
        try withStoreRoom { room in
            let refuses = StoreListener()
            refuses.onWillCache = { _, _ in nil }
            let forbids = StoreListener()
            forbids.onWillCache = { _, offered in
                CachedURLResponse(
                    response: offered.response, data: offered.data, userInfo: nil,
                    storagePolicy: .notAllowed)
            }
            for listener in [refuses, forbids] {
                let heard = room.load(room.request("/cache/600"), listener)
                #expect(heard.calls == ["willSend", "response", "data", "cache", "finish"])
            }
            _ = room.load("/cache/600")
            #expect(room.asked().count == 3)
        }
    }

    @Test func `a connection cancelled inside the question ends there and stores nothing`() throws {
        try withStoreRoom { room in
            let listener = StoreListener()
            listener.onWillCache = { connection, offered in
                connection.cancel()
                return offered
            }
            room.start(room.request("/cache/600"), listener)
            #expect(listener.wait { $0.calls.contains("cache") })
            room.thread.settle()
            #expect(listener.heard.calls == ["willSend", "response", "data", "cache"])
            _ = room.load("/cache/600")
            #expect(room.asked().count == 2)
        }
    }

    @Test(arguments: ["willSend", "response", "data"])
    func `a connection cancelled while the cache answers hears nothing more`(call: String) throws {
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            let listener = StoreListener()
            listener.onCall = { name, connection in
                if name == call { connection.cancel() }
            }
            room.start(room.request("/cache/600"), listener)
            #expect(listener.wait { $0.calls.last == call })
            room.thread.settle()
            #expect(listener.heard.calls.last == call)
            #expect(room.asked() == ["/cache/600"])
        }
    }

    // MARK: Bytes that find no place

    @Test func `a stored answer ends once every byte has a place`() throws {
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            let listener = StoreListener()
            let questions = Turn()
            listener.onNotConsumed = { max(0, 5 - questions.next()) }
            let heard = room.load(room.request("/cache/600"), listener)
            #expect(heard.calls == ["willSend", "response", "data", "finish"])
            #expect(questions.count == 5)
        }
    }

    @Test func `bytes that never find a place fail as on the wire`() throws {
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            let listener = StoreListener()
            listener.onNotConsumed = { 5 }
            var request = room.request("/cache/600")
            request.timeoutInterval = 30
            let clock = TurnableClock()
            room.configuration.clock = clock.clock
            let questions = Turn()
            listener.onNotConsumed = {
                // The time passes after the first answer, and nothing was taken since
                if questions.next() == 2 { clock.turn(by: 31) }
                return 5
            }
            #expect(room.load(request, listener).code == .timedOut)
        }
    }

    @Test func `the limit for the whole load holds for a stored answer too`() throws {
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            // Given a delegate that takes a little at a time, ten seconds each
            let clock = TurnableClock()
            let listener = StoreListener()
            let questions = Turn()
            listener.onNotConsumed = {
                clock.turn(by: 10)
                return max(0, 200 - questions.next())
            }
            listener.configure = {
                $0.configuration.clock = clock.clock
                $0.timeoutIntervalForResource = 30
            }
            #expect(room.load(room.request("/cache/600"), listener).code == .timedOut)
        }
    }
}

extension SecureRoom {
    /// Loads `/mine` to its end, trusting the system's authorities alone.
    fileprivate func load(
        _ configuration: URLConnectionConfiguration, _ listener: StoreListener = StoreListener(),
        _ change: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) -> StoreHeard {
        let request = URLRequest(url: server.url("/mine"))
        thread.run {
            let connection = URLConnection(
                request: request, delegate: listener, startImmediately: false)
            connection.configuration = configuration
            change(connection)
            connection.start()
        }
        return listener.atEnd()
    }
}
