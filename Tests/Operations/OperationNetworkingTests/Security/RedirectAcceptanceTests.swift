import CurlConnection
import OperationNetworking
import TestSupport

/// The acceptance cases about redirects, by their ids, through a manager.
@Suite("Acceptance cases of redirects", .timeLimit(.minutes(5)))
struct RedirectAcceptanceTests {
    private let world = TestWorld.redirects()

    private var away: String { world.other.url("/target").absoluteString }

    // MARK: What goes along

    @Test
    func `R51, a header of the caller's own goes along unless the redirect block takes it off`()
        async throws
    {
        world.httpManager.requestSerializer.setValue("key", forHTTPHeaderField: "X-Api-Key")
        world.lead(to: away)
        #expect(try await world.run(world.start).text == "target")
        let stripped = try await world.run(world.start) { operation in
            operation.setRedirectResponseBlock { _, request, redirect in
                guard redirect != nil else { return request }
                var request = request
                request.setValue(nil, forHTTPHeaderField: "x-api-key")
                return request
            }
        }
        #expect(stripped.text == "target")
        #expect(world.other.requests.map { $0.headers["X-Api-Key"] } == ["key", nil])
        #expect(world.server.requests.allSatisfy { $0.headers["X-Api-Key"] == "key" })
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    func `R54, the status says whether method and body are repeated`(
        status: Int, method: String
    ) async throws {
        let becomesGet =
            status == 303 ? !["GET", "HEAD"].contains(method) : status < 303 && method == "POST"
        let hasBody = ["POST", "PUT", "PATCH"].contains(method)
        let body = GeneratedBytes.bytes(seed: 4, range: 0..<100_000)
        for isStream in hasBody && becomesGet ? [false, true] : [false] {
            world.server.resetLog()
            world.lead(to: "/target", status: status)
            let outcome = try await world.run(
                world.start, method,
                change: {
                    guard hasBody else { return }
                    $0.setValue("text/x-mine", forHTTPHeaderField: "Content-Type")
                    if isStream {
                        $0.httpBodyStream = InputStream(data: body)
                    } else {
                        $0.httpBody = body
                    }
                })
            #expect(outcome.error == nil)
            let request = try #require(world.server.requests.last)
            #expect(world.server.requests.map(\.path) == ["/start", "/target"])
            #expect(request.method == (becomesGet ? "GET" : method))
            #expect(request.body == (hasBody && !becomesGet ? body : Data()))
            #expect(
                request.headers["Content-Type"] == (hasBody && !becomesGet ? "text/x-mine" : nil))
            if becomesGet { #expect(request.headers["Content-Length"] == nil) }
        }
    }

    @Test
    func `R54, a stream that cannot be read again fails a repeated upload with -1021, unsent`()
        async throws
    {
        let data = Data("once".utf8)
        world.lead(to: "/target", status: 307)
        for stream in [OneWayStream(data: data), InputStream(data: data)] {
            world.server.resetLog()
            let outcome = try await world.run(
                world.start, "POST", change: { $0.httpBodyStream = stream })
            #expect(outcome.code?.rawValue == -1021)
            #expect(world.server.requests.map(\.path) == ["/start"])
        }
    }

    @Test func `R54, a multipart form is repeated from its first byte`() async throws {
        world.lead(to: away, status: 307)
        let form = try world.httpManager.requestSerializer.multipartFormRequest(
            method: "POST", urlString: world.start, parameters: ["a": "1"]
        ) {
            $0.appendPart(formData: Data("whole".utf8), name: "b")
        }
        #expect(try await world.run(world.start, change: { $0 = form }).text == "target")
        let bodies = (world.server.requests + world.other.requests).map(\.body)
        #expect(bodies.count == 2)
        #expect(bodies.first == bodies.last)
        #expect(bodies.first?.range(of: Data("whole".utf8)) != nil)
    }

    // MARK: How far

    @Test func `R52, twenty redirects are followed, one more and endless ones fail with -1007`()
        async throws
    {
        for server in [world.server, world.other] {
            let next = server === world.server ? world.other : world.server
            let url = next.url("/pingpong").absoluteString
            server.add("/pingpong") { request in
                .redirect(to: "\(url)?k=\((Int(request.query["k"] ?? "0") ?? 0) + 1)")
            }
        }
        let chain = world.server.url("/redirect-chain").absoluteString
        #expect(try await world.run("\(chain)?n=20").status == 200)
        for path in ["/redirect-chain?n=21", "/redirect-loop", "/pingpong"] {
            world.server.resetLog()
            world.other.resetLog()
            let outcome = try await world.run(world.server.url(path).absoluteString)
            #expect(outcome.code?.rawValue == -1007, "\(path)")
            #expect(outcome.operation?.response == nil, "\(path)")
            let servers = [world.server, world.other].map(\.statistics)
            #expect(servers.map(\.requests).reduce(0, +) == 21, "\(path)")
            #expect(servers.map(\.peakConnections).reduce(0, +) <= 4, "\(path)")
        }
    }

    @Test(arguments: [
        "file:///etc/passwd", "gopher://127.0.0.1:PORT/_x", "ftp://127.0.0.1:PORT/x",
        "dict://127.0.0.1:PORT/d:x", "smb://127.0.0.1:PORT/x", "scp://127.0.0.1:PORT/etc/passwd",
        "tftp://127.0.0.1:PORT/x", "ldap://127.0.0.1:PORT/x", "ws://127.0.0.1:PORT/x",
        "data:text/plain,hello", "javascript:alert(1)", "mystery://127.0.0.1:PORT/x",
    ])
    func `R53, only http and https are asked for, first and by redirect`(text: String)
        async throws
    {
        let target = text.replacing("PORT", with: "\(world.otherPort.port)")
        world.lead(to: target)
        for first in [target, world.start] {
            let outcome = try await world.run(first)
            #expect(outcome.code == .unsupportedURL, "\(first)")
            #expect(outcome.operation?.responseData == nil)
        }
        #expect(world.otherPort.statistics.connectionsAccepted == 0)
        #expect(world.server.statistics.requests == 1)
    }

    // MARK: Whose word counts

    @Test func `R56, where the block says nil the 302 with its body is the answer`() async throws {
        let target = away
        world.server.add("/start") { _ in
            .text("moved", status: 302, headers: [("Location", target)])
        }
        let outcome = try await world.run(world.start) {
            $0.setRedirectResponseBlock { _, request, redirect in redirect == nil ? request : nil }
        }
        #expect(outcome.status == 302)
        #expect(
            String(decoding: outcome.operation?.responseData ?? Data(), as: UTF8.self) == "moved")
        #expect(outcome.operation?.response?.value(forHTTPHeaderField: "Location") == target)
        #expect(world.other.statistics.connectionsAccepted == 0)
    }

    @Test func `R56, where the block names another URL that one is asked for`() async throws {
        world.lead(to: away)
        let other = world.otherPort.url("/target")
        let outcome = try await world.run(world.start) {
            $0.setRedirectResponseBlock { _, request, redirect in
                redirect == nil ? request : URLRequest(url: other)
            }
        }
        #expect(outcome.text == "target")
        #expect(outcome.url == other)
        #expect(world.other.statistics.connectionsAccepted == 0)
    }

    @Test(arguments: [
        ([], "/start"), ([("Location", "")], "/start"),
        ([("Location", "/first"), ("Location", "/second")], "/first"),
    ])
    func `R56, no location or an empty one leaves the 302 as the answer, of two the first counts`(
        fields: [(String, String)], end: String
    ) async throws {
        world.server.add("/start") { _ in .text("nowhere", status: 302, headers: fields) }
        world.server.add("/first") { _ in .text("first") }
        world.server.add("/second") { _ in .text("second") }
        let outcome = try await world.run(world.start)
        #expect(outcome.url?.path() == end)
        #expect(outcome.status == (end == "/start" ? 302 : 200))
        #expect(outcome.text == (end == "/start" ? "nowhere" : "first"))
        #expect(!world.server.requests.contains { $0.path == "/second" })
    }

    // MARK: Where it leads

    @Test(arguments: [
        "http://B\\@A/target", "http://A\\@B/target", "http://A@B/target", "http://user:x@B/target",
        "http://A#@B/target", "http://A?@B/target", "//B\\..\\A/target", "http:/\\B/target",
        "http://B:80\\@A/target",
    ])
    func `R57, the host that is connected is the one that the response names`(text: String)
        async throws
    {
        let servers = ["127.0.0.1": world.server, "127.0.0.2": world.other]
        let location = text.replacing("A", with: "127.0.0.1:\(world.server.port)")
            .replacing("B:80", with: "B").replacing("B", with: "127.0.0.2:\(world.other.port)")
        for server in servers.values {
            server.add("/", isPrefix: true) { _ in .text("somewhere") }
        }
        world.lead(to: location)
        let outcome = try await world.run(world.start)
        let reached = servers.filter { name, server in
            server.requests.contains { $0.path != "/start" }
        }.map(\.key)
        if let response = outcome.operation?.response {
            #expect(reached == [response.url?.host() ?? ""], "\(location)")
        } else {
            #expect(reached.isEmpty, "\(location)")
            #expect(outcome.error is URLError)
        }
    }

    @Test func `R57, a line end in a location adds no header`() async throws {
        for text in ["/target%0d%0aX-Injected:%201", "/target?a=%0D%0AX-Injected:%201"] {
            world.server.resetLog()
            world.server.add("/target", isPrefix: true) { _ in .text("target") }
            world.lead(to: text)
            _ = try await world.run(world.start)
            #expect(world.server.requests.count == 2)
            #expect(world.server.requests.last?.target == text)
            #expect(world.server.requests.allSatisfy { $0.headers["X-Injected"] == nil })
        }
    }
}

/// A stream that cannot be rewound.
private final class OneWayStream: InputStream {
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
        false
    }
}
