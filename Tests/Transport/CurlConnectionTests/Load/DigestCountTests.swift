import CurlConnection
import TestSupport

/// The challenge that was read is the one that is answered, so that a login costs two requests.
@Suite("What Digest costs", .timeLimit(.minutes(5)))
struct DigestCountTests {
    private static let bytes = GeneratedBytes.bytes(seed: 7, range: 0..<300_000)

    private enum Body: CaseIterable { case none, data, stream, unknownLength }

    private func request(_ world: TestWorld, _ path: String, _ body: Body) -> URLRequest {
        var request = world.request(path, body == .none ? "GET" : "POST")
        switch body {
        case .none: break
        case .data: request.httpBody = Self.bytes
        case .stream, .unknownLength:
            request.httpBodyStream = PiecesStream([Self.bytes])
            let length = body == .stream ? "\(Self.bytes.count)" : nil
            request.setValue(length, forHTTPHeaderField: "Content-Length")
        }
        return request
    }

    /// Loads a request and answers each challenge with the next password, then with none.
    private func load(_ world: TestWorld, _ request: URLRequest, _ passwords: String...) -> Heard {
        let recorder = Recorder()
        recorder.answer(
            with: passwords.map { URLCredential(user: "user", password: $0, persistence: .none) })
        recorder.onNewStream = { PiecesStream([Self.bytes]) }
        return world.load(request, recorder)
    }

    private func parameter(_ name: String, _ request: RecordedRequest) -> String? {
        let parts = request.headers["Authorization"]?.components(separatedBy: ", \(name)=")
        return parts?.dropFirst().first.map { text in
            text.hasPrefix("\"")
                ? String(text.dropFirst().prefix { $0 != "\"" }) : String(text.prefix { $0 != "," })
        }
    }

    @Test(arguments: [
        "auth/user/pass", "auth/user/pass/MD5", "auth/user/pass/SHA-256", "none/user/pass",
        "any/user/pass/SHA-256",
    ])
    func `two requests, and the body once with each`(path: String) throws {
        try withWorld { world in
            for body in Body.allCases {
                world.server.resetLog()
                let heard = load(world, request(world, "/digest-auth/\(path)", body), "pass")
                #expect(heard.status == 200, "\(body)")
                #expect(heard.failureCounts == [0], "\(body)")
                let requests = world.server.requests
                #expect(
                    requests.map { $0.headers["Authorization"] != nil } == [false, true], "\(body)")
                let count = body == .none ? 0 : Int64(Self.bytes.count)
                #expect(requests.map(\.bodyLength) == [count, count], "\(body)")
            }
        }
    }

    @Test func `HEAD, PUT, PATCH and DELETE cost two requests as well`() throws {
        try withWorld { world in
            for method in ["HEAD", "PUT", "PATCH", "DELETE"] {
                world.server.resetLog()
                let request = world.request("/digest-auth/auth/user/pass", method)
                #expect(load(world, request, "pass").status == 200, "\(method)")
                #expect(world.server.requests.map(\.method) == [method, method])
            }
        }
    }

    @Test func `the answer is made for the target as it was sent`() throws {
        try withWorld { world in
            for rest in ["?", "?a=b&c", "?a=%22%5C", "?x#part", "?;=/?@:"] {
                world.server.resetLog()
                let root = world.address("/digest-auth/auth/user/pass")
                let url = try #require(URL(string: root + rest))
                #expect(load(world, URLRequest(url: url), "pass").status == 200, "\(rest)")
                #expect(world.server.requests.count == 2, "\(rest)")
            }
        }
    }

    @Test func `a wrong password costs one request more, and is the second challenge`() throws {
        try withWorld { world in
            let request = request(world, "/digest-auth/auth/user/pass", .data)
            let heard = load(world, request, "wrong")
            #expect(heard.status == 401)
            #expect(heard.failureCounts == [0, 1])
            #expect(world.server.requests.count == 2)
            world.server.resetLog()
            let second = load(world, request, "wrong", "pass")
            #expect(second.status == 200)
            #expect(second.failureCounts == [0, 1])
            #expect(world.server.requests.map(\.bodyLength) == [300_000, 300_000, 300_000])
        }
    }

    @Test func `a stale nonce costs one request more, and no question`() throws {
        try withWorld { world in
            // The first nonce has expired when it comes back.
            world.server.add("/stale") { request in
                let field = request.headers["Authorization"] ?? ""
                if field.contains("\"n2\"") { return .text("authorized") }
                let nonce = field.contains("\"n1\"") ? "n2\", stale=TRUE" : "n1\""
                let challenge = #"Digest realm="r", qop="auth", nonce="\#(nonce)"#
                return .text("no", status: 401, headers: [("WWW-Authenticate", challenge)])
            }
            let heard = load(world, request(world, "/stale", .data), "pass", "other")
            #expect(heard.text == "authorized")
            #expect(heard.failureCounts == [0])
            #expect(world.server.requests.count == 3)
        }
    }

    @Test func `redirects on the origin use the nonce again, and count its uses`() throws {
        try withWorld { world in
            let end = "/digest-auth/auth/user/pass"
            let server = world.server
            let first = try #require(
                world.load(end).responses.first?.value(forHTTPHeaderField: "WWW-Authenticate"))
            server.resetLog()
            for (path, next) in [("/one", "/two"), ("/two", end)] {
                server.add(path) { request in
                    request.headers["Authorization"] != nil
                        ? .redirect(to: next)
                        : .text("no", status: 401, headers: [("WWW-Authenticate", first)])
                }
            }
            let heard = load(world, world.request("/one"), "pass")
            #expect(heard.status == 200)
            #expect(heard.failureCounts == [0])
            #expect(server.requests.map(\.path) == ["/one", "/one", "/two", end])
            #expect(
                server.requests.map { parameter("nc", $0) }
                    == [nil, "00000001", "00000002", "00000003"])
            #expect(Set(server.requests.compactMap { parameter("nonce", $0) }).count == 1)
        }
    }

    @Test func `a nonce for one request costs a redirect one request more, and no question`()
        throws
    {
        try withWorld { world in
            let used = Box(Set<String>())
            let count = 14
            world.server.add("/turn") { request in
                let nonce = parameter("nonce", request) ?? ""
                guard nonce.isEmpty || used.value?.contains(nonce) == true else {
                    used.value?.insert(nonce)
                    let turn = Int(request.query["turn"] ?? "") ?? 0
                    return turn == count
                        ? .text("authorized") : .redirect(to: "/turn?turn=\(turn + 1)")
                }
                let fresh = "\(request.connection)-\(request.sequence)"
                let field = #"Digest realm="r", nonce="\#(fresh)", qop="auth", stale=true"#
                return .text("no", status: 401, headers: [("WWW-Authenticate", field)])
            }
            let heard = load(world, world.request("/turn?turn=0"), "pass")
            #expect(heard.text == "authorized")
            #expect(heard.failureCounts == [0])
            #expect(world.server.requests.count == 2 * (count + 1))
        }
    }

    @Test func `of several Digest challenges the first that is understood is answered`() throws {
        try withWorld { world in
            let unknown = #"Digest realm="r", nonce="n0", algorithm=SHA-1024, qop="auth""#
            let first = #"Digest realm="r", nonce="n1", algorithm=SHA-256, qop="auth""#
            let second = #"Digest realm="r", nonce="n2", algorithm=MD5, qop="auth""#
            let lists = [
                [first, second], [first + ", " + second], [unknown, first, second],
                [unknown + ", Basic realm=\"r\", " + first, second],
            ]
            for fields in lists {
                world.server.resetLog()
                world.server.add("/several") { request in
                    request.headers["Authorization"] != nil
                        ? .text("authorized")
                        : .text("no", status: 401, headers: fields.map { ("WWW-Authenticate", $0) })
                }
                #expect(load(world, world.request("/several"), "pass").text == "authorized")
                let answer = try #require(world.server.requests.last)
                #expect(world.server.requests.count == 2)
                #expect(parameter("nonce", answer) == "n1")
                #expect(parameter("algorithm", answer) == "SHA-256")
            }
        }
    }

    @Test func `a realm that a redirect leads to has a question of its own`() throws {
        try withWorld { world in
            for (path, realm) in [("/one", "first"), ("/two", "second")] {
                world.server.add(path) { request in
                    guard request.headers["Authorization"]?.contains(realm) == true else {
                        let field = #"Digest realm="\#(realm)", nonce="n", qop="auth""#
                        return .text("no", status: 401, headers: [("WWW-Authenticate", field)])
                    }
                    return realm == "first" ? .redirect(to: "/two") : .text("authorized")
                }
            }
            let heard = load(world, world.request("/one"), "pass", "pass")
            #expect(heard.text == "authorized")
            #expect(heard.failureCounts == [0, 0])
            #expect(world.server.requests.map(\.path) == ["/one", "/one", "/two", "/two"])
        }
    }
}
