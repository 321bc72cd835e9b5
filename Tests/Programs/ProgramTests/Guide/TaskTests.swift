import CurlConnection
import DurableQueue
import HTTPSemantics
import NetworkImages
import OperationNetworking
import ProxyPeer
import TLSPeer
import TestSupport

/// The code of the guide that no other page has compiled.
@Suite("The guide's tasks", .serialized, .timeLimit(.minutes(2)))
struct TaskTests {
    @Test
    func `an operation can be awaited, and cancelling the task cancels it`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/rates") { _ in .json("{\"eur\":1.5}") }
        world.server.add("/never") { _ in .text("").after(.wait(gate: "never")) }
        world.server.hold("never")
        #expect(try await rates(world.server.url("/rates")) == ["eur": 1.5])
        let task = Task { try await rates(world.server.url("/never")) }
        #expect(await world.server.reaches("never"))
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        world.server.release("never")
    }

    @Test
    func `results come in order, and a dependent operation finds the object`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/token") { _ in .json("{\"token\":\"t\"}") }
        world.server.add("/news") { _ in .json("[]") }
        let reported = Log<String>()
        let manager = signInThenLoad(world.server.baseURL) { reported.add($0) }
        #expect(await reported.reaches(3))
        #expect(reported.all.filter { $0 != "t" } == ["signed in", "news"])
        #expect(reported.all.contains("t"))
        #expect(manager.completesInOrder && manager.finishesAfterSerialization)
    }

    @Test
    func `a file goes out from disk, with its length`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/video") { _ in .text("ok", contentType: "text/plain") }
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try data.write(to: world.file("v.mp4"))
        let error = try await answer { (finish: @escaping @Sendable (String?) -> Void) in
            try upload(world.file("v.mp4"), to: world.server.url("/video")) {
                finish($0.map { "\($0)" })
            }
        }
        #expect(error == nil)
        let request = try #require(world.server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.headers["Content-Length"] == "300000")
        #expect(request.body == data)
    }

    @Test
    func `a large file comes over several connections, and is right`() async throws {
        let world = TestWorld(programs: .served)
        world.server.hold("body")
        world.server.add("/model.bin") { request in
            let whole = ScriptedResponse.generatedFile(
                seed: 3, length: 20_000_000, request: request)
            return ScriptedResponse(
                whole.steps.dropLast() + [.wait(gate: "body")] + whole.steps.suffix(1))
        }
        let bytes = GeneratedBytes.bytes(seed: 3, range: 0..<20_000_000)
        let hash = try SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        let digest = try hash.digest()
        async let result = largeFile(
            world.server.baseURL, to: world.file("model.bin"), sha256: digest)
        #expect(await world.server.sees { $1.count == 4 })
        world.server.release("body")
        let file = try await result
        #expect(file.length == 20_000_000)
        #expect(try Data(contentsOf: file.url) == bytes)
        #expect(world.server.requests.contains { $0.headers["Range"] == "bytes=10000000-14999999" })
    }

    @Test
    func `three run at once, and what is cancelled says so`() async throws {
        let world = TestWorld(programs: .served)
        world.server.hold("page")
        world.server.add("/page") { _ in .text("x").after(.wait(gate: "page")) }
        let pages = (1...5).map { world.server.url("/page?\($0)").absoluteString }
        let crawler = Crawler()
        let (ends, continuation) = AsyncStream.makeStream(of: String.self)
        crawler.begin(pages) { continuation.yield($0) }
        #expect(await world.server.sees { $1.count == 3 })
        #expect(crawler.manager.operationQueue.operationCount == 5)
        crawler.stop()
        var count = 0
        for await end in ends {
            #expect(end.hasSuffix(": cancelled"))
            count += 1
            if count == 5 { break }
        }
        #expect(world.server.requests.count == 3)
        world.server.release("page")
    }

    @Test
    func `a request has a limit for silence and one for all of it`() async throws {
        let world = TestWorld(programs: .served)
        world.server.hold("late")
        world.server.add("/late") { _ in .text("x").after(.wait(gate: "late")) }
        let code: URLError.Code? = await answer { finish in
            let operation = impatient(world.server.url("/late")) { finish($0) }
            #expect(operation.request.timeoutInterval == 2)
            #expect(operation.timeoutIntervalForResource == 10)
            operation.timeoutIntervalForResource = 0.1
            operation.start()
        }
        #expect(code == .timedOut)
        world.server.release("late")
    }

    @Test
    func `a credential answers Basic and Digest`() async throws {
        let world = TestWorld(programs: .served)
        let manager = memberArea(world.server.baseURL, user: "ann", password: "secret")
        for path in ["basic-auth/ann/secret", "digest-auth/auth/ann/secret"] {
            let isIn: Bool = await answer { finish in
                manager.get(path) { _, object in
                    finish((object as? [String: Any])?["authenticated"] as? Bool == true)
                } failure: { _, _ in
                    finish(false)
                }
            }
            #expect(isIn, "\(path)")
        }
    }

    @Test
    func `a server that asks is shown the client's certificate`() async throws {
        let cast = try Cast()
        let client = try TLSIdentity(.client("ann"))
        var settings = TLSSettings(cast.good, chain: [cast.middle.der])
        settings.clientCertificate = .demanded
        let world = TestWorld(programs: .served, tls: settings)
        let base = try #require(URL(string: "https://localhost:\(world.server.port)/"))
        let manager = try officeClient(
            base, certificate: client.der, key: client.keyPEM, authority: cast.root.der)
        let isIn = await succeeds("json", with: manager)
        #expect(isIn)
        manager.configuration.clientCertificate = nil
        let isInWithout = await succeeds("json", with: manager)
        #expect(!isInWithout)
    }

    @Test
    func `HTTP 2 is used where the server has it, and one connection is shared`() async throws {
        let cast = try Cast()
        let server = try HTTP2Server(.init(cast.good, chain: [cast.middle.certificate])) {
            HTTP2Server.reply($1, "answer \($0)", control: "no-store")
        }
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [cast.root.certificate]
        let url = try #require(URL(string: "https://localhost:\(server.port)/"))
        let (words, continuation) = AsyncStream.makeStream(of: String.self)
        let version = HTTPVersion()
        version.look(at: [url, url, url], policy: policy) { continuation.yield($0) }
        var seen: [String] = []
        for await word in words {
            seen.append(word)
            if seen.count == 3 { break }
        }
        #expect(seen.allSatisfy { $0.hasPrefix("h2, ") })
        #expect(server.stop() == 1)
    }

    @Test
    func `a manager goes through its proxy, but to the exceptions`() async throws {
        let world = TestWorld(programs: .served)
        let proxy = try HTTPProxy()
        let place = try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))
        let base = try #require(URL(string: "http://no-such-name.invalid:\(world.server.port)/"))
        let manager = try throughProxy(base, proxy: place)
        let isLoaded = await succeeds("json", with: manager)
        #expect(isLoaded)
        #expect(proxy.stop().count == 1)
        let intern = try #require(URL(string: "http://a.intern.example/"))
        #expect(try manager.configuration.proxy.proxy(for: intern) == nil)
    }

    @Test
    func `a fresh answer is served from the cache, which says why`() async throws {
        let world = TestWorld(programs: .served)
        let manager = try cachedNews(world.server.baseURL, folder: world.file("cache"))
        for _ in 1...2 {
            let isLoaded = await succeeds("cache/60", with: manager)
            #expect(isLoaded)
        }
        #expect(world.server.requests.count == 1)
        #expect(explain(world.server.url("/cache/60"), in: manager).hasPrefix("hit: fresh for"))
        #expect(explain(world.server.url("/cache/61"), in: manager).hasPrefix("miss"))
    }

    @Test
    func `cookies outlive the process in their file`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/in") { _ in
            .text("in", headers: [("Set-Cookie", "basket=7; Max-Age=3600")])
        }
        let file = world.file("cookies")
        let manager = try shop(world.server.baseURL, cookies: file)
        manager.responseSerializer = HTTPResponseSerializer()
        _ = await succeeds("in", with: manager)
        try manager.configuration.cookieStorage?.flush()
        let later = try CookieStorage(file: file)
        #expect(later.cookies(for: world.server.baseURL).map(\.name) == ["basket"])
    }

    @Test
    func `a redirect to another host is refused, one on the same is followed`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/away") { _ in
            .text("", status: 302, headers: [("Location", "http://other.invalid/")])
        }
        world.server.add("/home") { _ in .text("", status: 302, headers: [("Location", "/json")]) }
        for (path, status) in [("/away", 302), ("/home", 200)] {
            let operation = guarded(world.server.url(path))
            let seen: Int? = await answer { finish in
                operation.completionBlock = { finish(operation.response?.statusCode) }
                operation.start()
            }
            #expect(seen == status, "\(path)")
        }
    }

    @Test
    func `a picture is downloaded once and kept`() async throws {
        let world = TestWorld(programs: .served)
        let downloader = ImageDownloader()
        for _ in 1...2 {
            let width: Int? = await answer { finish in
                showPicture(world.server.url("/image/png"), with: downloader) {
                    finish($0?.pixelWidth)
                }
            }
            #expect(width == 16)
        }
        #expect(world.server.requests.count == 1)
    }

    @Test
    func `a run becomes a page, a trace and a HAR file`() async throws {
        let world = TestWorld(programs: .served)
        try await recorded(into: world.folder) {
            let _: Bool = await answer { finish in
                let operation = HTTPRequestOperation(
                    request: URLRequest(url: world.server.url("/json")))
                operation.setCompletionBlock { _, _ in
                    finish(true)
                } failure: { _, _ in
                    finish(false)
                }
                operation.start()
            }
        }
        let page = try String(contentsOf: world.file("run.html"), encoding: .utf8)
        #expect(page.contains("<h1>My run</h1>"))
        #expect(page.contains("GET /json"))
        for name in ["run.json", "run.har"] {
            let data = try Data(contentsOf: world.file(name))
            #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
        }
    }

    @Test
    func `a failure is tried again, and a POST keeps its key`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/order") { request in
            request.sequence == 1 && request.connection == 1 ? .status(503) : .json("[1]")
        }
        let status: Int? = await answer { finish in
            let manager = patientShop(world.server.baseURL)
            manager.configuration.retryPolicy?.delay = 0
            manager.post("order") { operation, _ in
                finish(operation.response?.statusCode)
            } failure: { _, _ in
                finish(nil)
            }
        }
        #expect(status == 200)
        let keys = world.server.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    }

    @Test
    func `a group has its limit, and each that waits its reason`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/held") { _ in .text("x").after(.wait(gate: "held")) }
        let manager = OperationManager()
        manager.isSuspended = true
        let operations = (0..<4).map { _ in
            URLConnectionOperation(request: URLRequest(url: world.server.url("/held")))
        }
        let reasons = enqueue(Array(operations.dropLast()), operations[3], in: manager)
        #expect(reasons == Array(repeating: "suspended", count: 4))
        manager.isSuspended = false
        #expect(await world.server.sees { $1.count == 3 })
        let waiting = manager.snapshot().filter { $0.reason == .groupLimit("pictures") }
        #expect(waiting.count == 1)
        world.server.release("held")
        #expect(await world.server.sees { $1.count == 4 })
    }

    @Test
    func `an order goes into a durable queue and arrives`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/order") { _ in .json("[1]") }
        let manager = HTTPRequestOperationManager(baseURL: nil)
        // The one of the process stays as it is: other tests look at it.
        manager.reachabilityManager = NetworkReachabilityManager()
        var request = URLRequest(url: world.server.url("/order"))
        request.httpMethod = "POST"
        let reported = Log<Int>()
        let queue = try await sendOrder(
            request, of: "ann", folder: world.file("orders"), with: manager
        ) { outcome in
            if case .delivered(let response, _) = outcome { reported.add(response.statusCode) }
        }
        await queue.waitUntilEmpty()
        await queue.close()
        #expect(reported.all == [200])
        #expect(world.server.requests.first?.headers["Idempotency-Key"] != nil)
    }

    @Test
    func `a daemon is asked by its socket`() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString.prefix(8)).sock").path
        let server = LoopbackServer(routes: .served)
        try server.start(unixDomainSocketPath: path)
        defer {
            server.stop()
            try? FileManager.default.removeItem(atPath: path)
        }
        server.add("/v1.41/info") { _ in .json("{\"Containers\":3}") }
        let count: Int? = await answer { finish in
            containers(path).get("info") { _, object in
                finish((object as? [String: Any])?["Containers"] as? Int)
            } failure: { _, _ in
                finish(nil)
            }
        }
        #expect(count == 3)
    }

    @Test
    func `a request is shown as a command, and a command is read`() throws {
        var request = URLRequest(url: try #require(URL(string: "http://h.test/?token=t")))
        request.setValue("Bearer b", forHTTPHeaderField: "Authorization")
        let (shown, line, read) = try commands(request, "curl -d a=1 'http://h.test/form'")
        #expect(shown.contains("REDACTED") && !shown.contains("Bearer b"))
        #expect(shown.contains("\n") && !line.contains("\n") && !line.contains("\\"))
        #expect(read.httpMethod == "POST" && read.httpBody == Data("a=1".utf8))
    }
}
