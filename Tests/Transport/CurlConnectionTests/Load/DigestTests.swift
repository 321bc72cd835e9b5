import CurlConnection
import TestSupport

/// Digest on the wire (RFC 7616).
@Suite("Digest", .timeLimit(.minutes(5)))
struct DigestTests {
    private static let challenge = #"Digest realm="r", nonce="n1", qop="auth""#

    /// Loads a request and answers each challenge with the next password, then with none.
    private func load(
        _ world: TestWorld, _ request: URLRequest, _ passwords: String...
    ) -> Heard {
        let recorder = Recorder()
        recorder.answer(
            with: passwords.map { URLCredential(user: "user", password: $0, persistence: .none) })
        recorder.onNewStream = { PiecesStream([Self.bytes]) }
        return world.load(request, recorder)
    }

    private static let bytes = GeneratedBytes.bytes(seed: 5, range: 0..<200_000)

    /// A path that any Digest answer opens; each refusal has a body.
    private func addDoor(_ world: TestWorld, closes: Bool = false) {
        world.server.add("/door") { request in
            if request.headers["Authorization"]?.hasPrefix("Digest ") == true {
                return .text("authorized")
            }
            var fields = [("WWW-Authenticate", Self.challenge)]
            if closes { fields.append(("Connection", "close")) }
            let answer = ScriptedResponse.text("Unauthorized", status: 401, headers: fields)
            return closes ? answer.then(.close) : answer
        }
    }

    @Test func `a wrong password is sent once, then the 401 comes with its body exactly once`()
        throws
    {
        try withWorld { world in
            world.server.add("/never") { _ in
                .text(
                    "Unauthorized", status: 401, headers: [("WWW-Authenticate", Self.challenge)])
            }
            let heard = load(world, world.request("/never"), "wrong")
            #expect(heard.order == [.willSend, .challenge, .response, .data, .finish])
            #expect(heard.responses.map(\.statusCode) == [401])
            #expect(heard.text == "Unauthorized")
            #expect(heard.failureCounts == [0, 1])
            let answers = world.server.requests.filter { $0.headers["Authorization"] != nil }
            #expect(answers.count == 1)
            #expect(world.server.statistics.requests <= 3)
        }
    }

    @Test func `R61, nonces that are stale for ever end with a clear error after few requests`()
        throws
    {
        try withWorld { world in
            world.server.add("/401-digest-stale") { request in
                let nonce = "n\(request.connection)-\(request.sequence)"
                let field = #"Digest realm="r", nonce="\#(nonce)", stale=true, qop="auth""#
                return .text("no", status: 401, headers: [("WWW-Authenticate", field)])
            }
            let heard = load(world, world.request("/401-digest-stale"), "pass", "pass", "pass")
            #expect(heard.code == .userAuthenticationRequired)
            #expect(heard.error?.localizedDescription.isEmpty == false)
            #expect(heard.ends == 1)
            #expect(heard.responses.isEmpty)
            #expect(world.server.statistics.requests <= 10)
        }
    }

    @Test(arguments: [false, true])
    func `no byte of a 401 that is answered reaches the delegate, kept connection or closed one`(
        closes: Bool
    ) throws {
        try withWorld { world in
            addDoor(world, closes: closes)
            for method in ["GET", "POST"] {
                let heard = load(world, world.request("/door", method), "pass")
                #expect(heard.order.suffix(4) == [.challenge, .response, .data, .finish])
                #expect(heard.responses.map(\.statusCode) == [200])
                #expect(heard.text == "authorized")
            }
        }
    }

    @Test func `the caller's own Authorization gives way to the answer`() throws {
        try withWorld { world in
            addDoor(world)
            var request = world.request("/door")
            request.setValue("Bearer old", forHTTPHeaderField: "authorization")
            #expect(load(world, request, "pass").text == "authorized")
            let sent = world.server.requests.map { $0.headers.values("Authorization") }
            #expect(sent.first == ["Bearer old"])
            #expect(sent.allSatisfy { $0.count <= 1 })
            #expect(sent.last?.first?.hasPrefix("Digest ") == true)
        }
    }

    @Test func `a realm comes back as it came, in whatever encoding`() throws {
        try withWorld { world in
            let challenge = #"Digest realm="B\#u{FC}ro", nonce="n1", qop="auth""#
            for encoding in [String.Encoding.utf8, .isoLatin1] {
                world.server.resetLog()
                let head =
                    "HTTP/1.1 401 No\r\nContent-Length: 0\r\nWWW-Authenticate: \(challenge)\r\n\r\n"
                let refusal = try #require(head.data(using: encoding))
                world.server.add("/coded") { request in
                    request.headers["Authorization"] != nil
                        ? .text("authorized") : ScriptedResponse([.bytes(refusal)])
                }
                var request = world.request("/coded", "POST")
                request.httpBody = Self.bytes
                #expect(load(world, request, "pass").text == "authorized")
                let requests = world.server.requests
                #expect(requests.last?.bodyHash == BodyHash.of(Self.bytes))
                // libcurl asks for a nonce with an empty body first.
                #expect(requests.map(\.bodyLength) == [200_000, 0, 200_000])
            }
        }
    }

    @Test(arguments: ["POST", "PUT"])
    func `a server that no longer asks when it is answered gets the body, and its answer is shown`(
        method: String
    ) throws {
        try withWorld { world in
            let bytes = Data("the body".utf8)
            world.server.add("/once") { request in
                request.sequence > 1
                    ? .text(String(decoding: request.body, as: UTF8.self))
                    : .text("no", status: 401, headers: [("WWW-Authenticate", Self.challenge)])
            }
            var request = world.request("/once", method)
            request.httpBody = bytes
            let heard = load(world, request, "pass")
            #expect(heard.text == "the body")
            #expect(heard.responses.map(\.statusCode) == [200])
        }
    }

    @Test func `R62, a redirect to another origin takes no Digest answer along`() throws {
        try withWorld { world in
            let other = LoopbackServer.started(address: "127.0.0.2")
            defer { other.stop() }
            let challenge = [("WWW-Authenticate", Self.challenge)]
            other.add("/door") { _ in .text("other", status: 401, headers: challenge) }
            let target = other.url("/door").absoluteString
            world.server.add("/first") { request in
                request.headers["Authorization"] != nil
                    ? .redirect(to: target) : .text("no", status: 401, headers: challenge)
            }
            let heard = load(world, world.request("/first"), "pass")
            #expect(heard.text == "other")
            #expect(heard.count(.challenge) == 2)
            #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
        }
    }

    @Test func `a stronger way that is refused is not followed by a weaker one unasked`() throws {
        try withWorld { world in
            world.server.add("/both") { _ in
                .text(
                    "no", status: 401,
                    headers: [
                        ("WWW-Authenticate", #"Basic realm="r""#),
                        ("WWW-Authenticate", Self.challenge),
                    ])
            }
            #expect(load(world, world.request("/both"), "pass").status == 401)
            let sent = world.server.requests.compactMap { $0.headers["Authorization"] }
            #expect(sent.count == 1)
            #expect(sent.allSatisfy { $0.hasPrefix("Digest ") })
        }
    }

    @Test(arguments: ["us\r\nX-Injected: 1", "us\"er", "us\\er", "us\ner", "us\u{7F}er", "ü"])
    func `no user name adds a header, and none makes another request`(user: String) throws {
        try withWorld { world in
            addDoor(world)
            let recorder = Recorder()
            recorder.onChallenge = {
                guard $0.previousFailureCount == 0 else { return }
                let credential = URLCredential(user: user, password: "p\r\n", persistence: .none)
                $0.sender?.use(credential, for: $0)
            }
            let heard = world.load(world.request("/door"), recorder)
            #expect(heard.ends == 1)
            #expect(world.server.requests.allSatisfy { $0.headers["X-Injected"] == nil })
            #expect(world.server.statistics.malformed == 0)
            let answers = world.server.requests.compactMap { $0.headers["Authorization"] }
            #expect(answers.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
            #expect(heard.status == (answers.isEmpty ? 401 : 200))
        }
    }
}
