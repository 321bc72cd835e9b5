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
        try withWorld { world in
            world.server.add("/shared") { _ in
                .text("x", headers: Self.fresh)
            }
            let peers = [try HTTPProxy(), try HTTPProxy()]
            defer { peers.forEach { $0.stop() } }
            let ways: [ProxySetting] = [
                .fixed(try peers[0].proxy()), .direct, .fixed(try peers[1].proxy()),
                .fixed(try peers[1].proxy("user", "password")),
            ]
            for way in ways {
                world.configuration.proxy = way
                #expect(world.fetch("/shared").text == "x")
                #expect(world.asked().count == 1, "\(way)")
                #expect(world.fetch("/shared").text == "x")
                #expect(world.asked().isEmpty, "\(way)")
            }
            world.configuration.proxy = ways[0]
            #expect(world.fetch("/shared").text == "x")
            #expect(world.asked().isEmpty)
        }
    }

    // MARK: Unsafe methods

    @Test(arguments: [302, 303])
    func `an unsafe method answered by a redirect that is followed takes it away`(
        status: Int
    ) throws {
        try withWorld { world in
            world.server.add("/thing") { request in
                request.method == "GET"
                    ? .text("thing", headers: Self.fresh) : .redirect(to: "/ok", status: status)
            }
            _ = world.fetch("/thing")
            #expect(world.fetch("/thing", "POST").text == "hello world")
            _ = world.fetch("/thing")
            #expect(world.server.requests.map(\.target) == ["/thing", "/thing", "/ok", "/thing"])
        }
    }

    // MARK: Redirects

    @Test func `a redirect's target is answered out of the cache`() throws {
        try withWorld { world in
            _ = world.fetch("/cache/600")
            #expect(world.fetch("/redirect?to=/cache/600").status == 200)
            #expect(world.asked() == ["/cache/600", "/redirect?to=/cache/600"])
        }
    }

    @Test func `a redirect that is followed is not stored`() throws {
        try withWorld { world in
            world.server.add("/moved") { _ in
                .text("", status: 301, headers: Self.fresh + [("Location", "/ok")])
            }
            #expect(world.fetch("/moved").text == "hello world")
            #expect(world.fetch("/moved").text == "hello world")
            #expect(world.asked().filter { $0 == "/moved" }.count == 2)
        }
    }

    @Test func `a redirect that one delegate refuses is followed for the next`() throws {
        try withWorld { world in
            world.server.add("/moved") { _ in
                .text("moved", status: 301, headers: Self.fresh + [("Location", "/ok")])
            }
            let listener = StoreListener()
            listener.onWillSend = { request, redirect in redirect == nil ? request : nil }
            #expect(world.fetch(world.request("/moved"), listener).status == 301)
            let heard = world.fetch("/moved")
            #expect(heard.text == "hello world")
            #expect(heard.status == 200)
        }
    }

    // MARK: Credentials

    @Test(arguments: ["Basic", "Digest"])
    func `what one credential was given is not given to who has none, or another`(
        scheme: String
    ) throws {
        try withWorld { world in
            world.server.add("/mine") { request in
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
            #expect(world.fetch(world.request("/mine"), listener).status == 200)
            // Then nobody else sees it
            #expect(world.fetch("/mine").status == 401)
            let second = StoreListener()
            second.credential = URLCredential(user: "two", password: "p", persistence: .none)
            let first = listener.heard.text
            #expect(world.fetch(world.request("/mine"), second).text != first)
        }
    }

    // MARK: Trust

    @Test func `an answer that one trust accepted is not given to a stricter one`() throws {
        try withSecureWorld { world in
            world.server.add("/mine") { _ in .text("mine", headers: Self.fresh) }
            var configuration = URLConnectionConfiguration()
            configuration.responseCache = try ResponseCache(memoryCapacity: 4 << 20)
            func load(verifiesChain: Bool) -> StoreHeard {
                world.fetch(configuration) { $0.trustRequirements.verifiesChain = verifiesChain }
            }
            // Given a stored answer of a server that nobody vouches for
            #expect(load(verifiesChain: false).text == "mine")
            #expect(load(verifiesChain: false).text == "mine")
            #expect(world.server.requests.count == 1)
            // Then who asks for a chain is told that there is none
            #expect(load(verifiesChain: true).error != nil)
            #expect(world.server.requests.count == 1)
        }
    }

    @Test func `an answer that only its delegate vouched for is not stored`() throws {
        try withSecureWorld { world in
            world.server.add("/mine") { _ in .text("mine", headers: Self.fresh) }
            var configuration = URLConnectionConfiguration()
            configuration.responseCache = try ResponseCache(memoryCapacity: 4 << 20)
            for _ in 0..<2 {
                let listener = StoreListener()
                listener.vouches = true
                let heard = world.fetch(configuration, listener)
                #expect(heard.text == "mine")
                #expect(!heard.calls.contains("cache"))
            }
            #expect(world.fetch(configuration).error != nil)
            #expect(world.server.requests.count == 2)
        }
    }

    // MARK: A server that fails

    private func failing(_ world: TestWorld, _ failure: ScriptedResponse) -> String {
        let turn = Turn()
        world.server.add("/news") { _ in
            turn.next() == 1
                ? .text("stored", headers: [("Cache-Control", "max-age=0, stale-if-error=600")])
                : failure
        }
        _ = world.fetch("/news")
        return "/news"
    }

    @Test(arguments: [500, 502, 503, 504])
    func `stale-if-error stands in for a failing server`(status: Int) throws {
        try withWorld { world in
            let path = failing(world, .text("broken", status: status))
            let heard = world.fetch(path)
            #expect(heard.text == "stored")
            #expect(heard.status == 200)
            #expect(heard.calls == ["willSend", "response", "data", "finish"])
            #expect(world.server.statistics.requests == 2)
        }
    }

    @Test func `stale-if-error stands in for a connection that is refused, closed or silent`()
        throws
    {
        try withWorld { world in
            #expect(world.fetch(failing(world, ScriptedResponse([.close]))).text == "stored")
            var request = world.request(failing(world, ScriptedResponse([.stall])))
            request.timeoutInterval = 1
            #expect(world.fetch(request).text == "stored")
            world.server.stop()
            let url = try #require(request.url)
            #expect(world.fetch(URLRequest(url: url)).text == "stored")
        }
    }

    @Test func `a body that breaks off after its head is an error, stale answer or not`() throws {
        try withWorld { world in
            let head = ScriptedResponse.head(200, [("Content-Length", "9")])
            let path = failing(world, ScriptedResponse([.bytes(head + Data("abc".utf8)), .close]))
            let heard = world.fetch(path)
            #expect(heard.code == .networkConnectionLost)
            #expect(heard.ends == 1)
        }
    }

    // MARK: The delegate's part

    @Test func `a connection cancelled inside the question ends there and stores nothing`() throws {
        try withWorld { world in
            let listener = StoreListener()
            listener.onWillCache = { connection, offered in
                connection.cancel()
                return offered
            }
            world.start(world.request("/cache/600"), listener)
            #expect(listener.wait { $0.calls.contains("cache") })
            world.thread.settle()
            #expect(listener.heard.calls == ["willSend", "response", "data", "cache"])
            _ = world.fetch("/cache/600")
            #expect(world.asked().count == 2)
        }
    }

    @Test(arguments: ["willSend", "response", "data"])
    func `a connection cancelled while the cache answers hears nothing more`(call: String) throws {
        try withWorld { world in
            _ = world.fetch("/cache/600")
            let listener = StoreListener()
            listener.onCall = { name, connection in
                if name == call { connection.cancel() }
            }
            world.start(world.request("/cache/600"), listener)
            #expect(listener.wait { $0.calls.last == call })
            world.thread.settle()
            #expect(listener.heard.calls.last == call)
            #expect(world.asked() == ["/cache/600"])
        }
    }

    // MARK: Bytes that find no place

    @Test func `a stored answer ends once every byte has a place`() throws {
        try withWorld { world in
            _ = world.fetch("/cache/600")
            let listener = StoreListener()
            let questions = Turn()
            listener.onNotConsumed = { max(0, 5 - questions.next()) }
            let heard = world.fetch(world.request("/cache/600"), listener)
            #expect(heard.calls == ["willSend", "response", "data", "finish"])
            #expect(questions.count == 5)
        }
    }

    @Test func `bytes that never find a place fail as on the wire`() throws {
        try withWorld { world in
            _ = world.fetch("/cache/600")
            let listener = StoreListener()
            listener.onNotConsumed = { 5 }
            var request = world.request("/cache/600")
            request.timeoutInterval = 30
            let clock = TurnableClock()
            world.configuration.clock = clock.clock
            let questions = Turn()
            listener.onNotConsumed = {
                // The time passes after the first answer, and nothing was taken since
                if questions.next() == 2 { clock.turn(by: 31) }
                return 5
            }
            #expect(world.fetch(request, listener).code == .timedOut)
        }
    }

    @Test func `the limit for the whole load holds for a stored answer too`() throws {
        try withWorld { world in
            _ = world.fetch("/cache/600")
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
            #expect(world.fetch(world.request("/cache/600"), listener).code == .timedOut)
        }
    }
}

extension TestWorld {
    /// Loads `/mine` to its end, trusting the system's authorities alone.
    fileprivate func fetch(
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
