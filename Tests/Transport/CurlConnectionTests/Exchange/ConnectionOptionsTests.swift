import CurlConnection
import TestSupport

@Suite("Where connections lead, and what they may be like", .timeLimit(.minutes(2)))
struct ConnectionOptionsTests {
    private func load(
        _ world: TestWorld, _ url: URL?,
        _ change: @escaping @Sendable (inout URLConnectionConfiguration) -> Void
    ) throws -> Heard {
        let recorder = Recorder()
        let request = URLRequest(url: try #require(url), timeoutInterval: 20)
        return world.load(request, recorder) { change(&$0.configuration) }
    }

    // MARK: Unix-domain sockets

    private func withSocket(_ body: (String, LoopbackServer) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString.prefix(8)).sock").path
        let server = LoopbackServer()
        try server.start(unixDomainSocketPath: path)
        defer {
            server.stop()
            try? FileManager.default.removeItem(atPath: path)
        }
        try body(path, server)
    }

    @Test
    func `a request goes to the socket, whatever its host, with no look-up and no proxy`() throws {
        try withSocket { path, server in
            try withWorld { world in
                let proxy = try Proxy(.http, host: "127.0.0.1", port: 9)
                let url = URL(string: "http://containers.invalid:1/ok")
                for _ in 0..<2 {
                    let heard = try load(world, url) {
                        $0.unixDomainSocketPath = path
                        $0.proxy = .fixed(proxy)
                    }
                    #expect(heard.text == "hello world")
                }
                #expect(
                    server.requests.map { $0.headers["Host"] ?? "" }
                        == ["containers.invalid:1", "containers.invalid:1"])
                #expect(server.statistics.connectionsAccepted == 1)
                // The same address without the socket does not find the connection that was kept.
                #expect(try load(world, url) { _ in }.code == .cannotFindHost)
            }
        }
    }

    @Test func `a redirect to another origin leaves the socket`() throws {
        try withSocket { path, server in
            try withWorld { world in
                let target = world.address("/ok")
                server.add("/away") { _ in .redirect(to: target) }
                let heard = try load(world, URL(string: "http://here.invalid/away")) {
                    $0.unixDomainSocketPath = path
                }
                #expect(heard.text == "hello world")
                #expect(server.requests.count == 1)
                #expect(world.server.requests.count == 1)
            }
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 108), "/nowhere/at/all.sock"])
    func `a path that cannot be, and one where nobody listens, is -1004`(_ path: String) throws {
        try withWorld { world in
            let heard = try load(world, URL(string: "http://here.invalid/")) {
                $0.unixDomainSocketPath = path
            }
            #expect(heard.code == .cannotConnectToHost)
            #expect(heard.ends == 1)
        }
    }

    // MARK: Given addresses

    @Test func `a host with given addresses is not looked up, also after an hour`() throws {
        try withWorld { world in
            let url = URL(string: "http://Shop.Invalid:\(world.server.port)/ok")
            for _ in 0..<2 {
                let heard = try load(world, url) {
                    $0.hostAddresses = ["SHOP.invalid": ["127.0.0.1"]]
                }
                #expect(heard.text == "hello world")
            }
            #expect(world.server.statistics.connectionsAccepted == 1)
            #expect(try load(world, url) { _ in }.code == .cannotFindHost)
            // Another address, and so another connection: the first is not taken for it.
            let other = try load(world, url) {
                $0.hostAddresses = ["shop.invalid": ["127.0.0.9"]]
            }
            #expect(other.code == .cannotConnectToHost)
        }
    }

    @Test(arguments: [[], ["localhost"], ["127.0.0.1", "1.2.3"], ["[::1]"], ["::1%lo"]])
    func `what is no address is refused, and nothing is sent`(_ addresses: [String]) throws {
        try withWorld { world in
            let heard = try load(world, world.server.url("/ok")) {
                $0.hostAddresses = ["elsewhere.invalid": addresses]
            }
            #expect(heard.code == .cannotConnectToHost)
            #expect(world.server.requests.isEmpty)
        }
    }

    // MARK: Stored answers

    @Test func `an answer that came over one route is no answer for another`() throws {
        let cache = try ResponseCache(memoryCapacity: 1 << 20)
        let fields = [("Cache-Control", "max-age=600")]
        try withSocket { first, one in
            try withSocket { second, other in
                try withWorld { world in
                    one.add("/") { _ in .text("one", headers: fields) }
                    other.add("/") { _ in .text("other", headers: fields) }
                    let url = URL(string: "http://here.invalid/")
                    for (path, text) in [(first, "one"), (second, "other"), (first, "one")] {
                        let heard = try load(world, url) {
                            $0.responseCache = cache
                            $0.unixDomainSocketPath = path
                        }
                        #expect(heard.text == text)
                    }
                    #expect(one.requests.count == 1 && other.requests.count == 1)
                    let plain = try load(world, url) { $0.responseCache = cache }
                    #expect(plain.code == .cannotFindHost)
                }
            }
        }
    }

    @Test func `given addresses of the host are a route of their own, those of others are not`()
        throws
    {
        let cache = try ResponseCache(memoryCapacity: 1 << 20)
        try withWorld { world in
            world.server.add("/kept") { _ in
                .text("x", headers: [("Cache-Control", "max-age=600")])
            }
            let url = URL(string: "http://localhost:\(world.server.port)/kept")
            let routes: [([String: [String]], Int)] = [
                ([:], 1), (["localhost": ["127.0.0.1"]], 2), (["LocalHost": ["127.0.0.1"]], 2),
                (["localhost": ["::1", "127.0.0.1"]], 3), (["other.invalid": ["127.0.0.9"]], 3),
            ]
            for (addresses, count) in routes {
                let heard = try load(world, url) {
                    $0.responseCache = cache
                    $0.hostAddresses = addresses
                }
                #expect(heard.text == "x")
                #expect(world.server.requests.count == count, "\(addresses)")
            }
        }
    }

    // MARK: Limits

    @Test func `the time for a connection does not run while nothing is connected`() throws {
        let listener = try SilentListener()
        defer { withExtendedLifetime(listener) {} }
        let clock = TurnableClock()
        try withWorld { world in
            let recorder = Recorder()
            let url = try #require(URL(string: "https://127.0.0.1:\(listener.port)/"))
            world.start(URLRequest(url: url, timeoutInterval: 1_000), recorder, by: clock) {
                $0.configuration.connectTimeout = 10
            }
            world.turn(clock, by: 9)
            world.thread.sync { recorder.connection?.suspend() }
            world.turn(clock, by: 60)
            world.thread.sync { recorder.connection?.resume() }
            world.turn(clock, by: 9)
            #expect(!recorder.heard.hasEnded)
            world.turn(clock, by: 1)
            #expect(recorder.atEnd().code == .timedOut)
        }
    }

    @Test func `without a connection in time the load ends; with one the limit is over`() throws {
        // A listener that nobody accepts from answers no TLS handshake.
        let listener = try SilentListener()
        defer { withExtendedLifetime(listener) {} }
        try withWorld { world in
            let start = ContinuousClock.now
            let heard = try load(world, URL(string: "https://127.0.0.1:\(listener.port)/")) {
                $0.connectTimeout = 0.3
            }
            #expect(heard.code == .timedOut)
            #expect(heard.error?.localizedDescription.contains("connectTimeout") == true)
            #expect(start.duration(to: .now) < .seconds(10))
            world.server.hold("late")
            world.server.add("/late") { _ in
                ScriptedResponse([
                    .wait(gate: "late"),
                    .bytes(ScriptedResponse.head(200, [("Content-Length", "0")])),
                ])
            }
            let (recorder, clock) = (Recorder(), TurnableClock())
            world.start(world.request("/late"), recorder, by: clock) {
                $0.configuration.connectTimeout = 0.05
            }
            #expect(world.server.waitUntilReached("late"))
            world.turn(clock, by: 0.1)
            world.server.release("late")
            #expect(recorder.atEnd().status == 200)
        }
    }

    @Test(arguments: [TLSSettings.Version.tls12, .tls13])
    func `a server that speaks TLS 1.2 alone is refused where 1.3 is the least`(
        _ version: TLSSettings.Version
    ) throws {
        try withSecureWorld({
            $0.lowest = version
            $0.highest = version
        }) { world in
            for minimum in TLSVersion.allCases {
                let recorder = Recorder()
                world.start(recorder) { $0.configuration.minimumTLSVersion = minimum }
                let heard = recorder.atEnd()
                if minimum == .tls13, version == .tls12 {
                    #expect(heard.code == .secureConnectionFailed)
                } else {
                    #expect(heard.text == "hello world")
                }
            }
        }
    }

    @Test func `a rate is kept, either way`() throws {
        try withWorld { world in
            let start = ContinuousClock.now
            let down = try load(world, world.server.url("/bytes/24000000")) {
                $0.maximumReceiveRate = 12_000_000
            }
            #expect(down.data.count == 24_000_000)
            #expect(start.duration(to: .now) > .seconds(0.4))
            let half = ContinuousClock.now
            var request = world.request("/upload", "POST")
            request.httpBody = Data(count: 3_000_000)
            let recorder = Recorder()
            world.thread.start(request, recorder) { $0.configuration.maximumSendRate = 2_000_000 }
            #expect(recorder.atEnd().status == 200)
            #expect(half.duration(to: .now) > .seconds(0.4))
        }
    }

    // MARK: Redirects

    @Test(arguments: [301, 302, 303])
    func `a method is kept after 301 and 302 on demand, with its body`(_ status: Int) throws {
        try withWorld { world in
            for keeps in [false, true] {
                world.server.resetLog()
                var request = world.request("/redirect?to=/echo&status=\(status)", "POST")
                request.httpBody = Data("body".utf8)
                let recorder = Recorder()
                world.thread.start(request, recorder) {
                    $0.configuration.keepsMethodAfterRedirect = keeps
                }
                #expect(recorder.atEnd().status == 200)
                let last = try #require(world.server.requests.last)
                let isPost = keeps && status != 303
                #expect(last.method == (isPost ? "POST" : "GET"))
                #expect(last.bodyLength == (isPost ? 4 : 0))
            }
        }
    }
}
