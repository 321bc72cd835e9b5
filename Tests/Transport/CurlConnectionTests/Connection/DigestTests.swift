import CurlConnection
import TestSupport

/// Digest on the wire (RFC 7616).
@Suite("Digest", .timeLimit(.minutes(5)))
struct DigestTests {
    private static let challenge = #"Digest realm="r", nonce="n1", qop="auth""#

    /// Loads a request and answers each challenge with the next password, then with none.
    private func load(
        _ fixture: Fixture, _ request: URLRequest, _ passwords: String...
    ) -> Heard {
        let recorder = Recorder()
        let left = Box(passwords)
        recorder.onChallenge = { challenge in
            guard let next = left.value?.first else {
                challenge.sender?.continueWithoutCredential(for: challenge)
                return
            }
            left.value?.removeFirst()
            let credential = URLCredential(user: "user", password: next, persistence: .none)
            challenge.sender?.use(credential, for: challenge)
        }
        recorder.onNewStream = { PiecesStream([Self.bytes]) }
        return fixture.load(request, recorder)
    }

    private static let bytes = GeneratedBytes.bytes(seed: 5, range: 0..<200_000)

    /// A path that any Digest answer opens; each refusal has a body.
    private func addDoor(_ fixture: Fixture, closes: Bool = false) {
        fixture.server.add("/door") { request in
            if request.headers["Authorization"]?.hasPrefix("Digest ") == true {
                return .text("authorized")
            }
            var fields = [("WWW-Authenticate", Self.challenge)]
            if closes { fields.append(("Connection", "close")) }
            let answer = ScriptedResponse.text("Unauthorized", status: 401, headers: fields)
            return closes ? answer.then(.close) : answer
        }
    }

    @Test(arguments: [
        "auth/user/pass", "auth/user/pass/MD5", "auth/user/pass/SHA-256", "none/user/pass",
        "any/user/pass/SHA-256",
    ])
    func `the right password opens what MD5 or SHA-256 locks, and one question is asked`(
        path: String
    ) throws {
        try withFixture { fixture in
            for method in ["GET", "HEAD", "POST"] {
                let heard = load(fixture, fixture.request("/digest-auth/\(path)", method), "pass")
                #expect(heard.responses.map(\.statusCode) == [200], "\(method)")
                #expect(heard.failureCounts == [0], "\(method)")
                #expect(heard.ends == 1)
            }
        }
    }

    @Test func `a wrong password is sent once, then the 401 comes with its body exactly once`()
        throws
    {
        try withFixture { fixture in
            fixture.server.add("/never") { _ in
                .text(
                    "Unauthorized", status: 401, headers: [("WWW-Authenticate", Self.challenge)])
            }
            let heard = load(fixture, fixture.request("/never"), "wrong")
            #expect(heard.order == [.willSend, .challenge, .response, .data, .finish])
            #expect(heard.responses.map(\.statusCode) == [401])
            #expect(heard.text == "Unauthorized")
            #expect(heard.failureCounts == [0, 1])
            let answers = fixture.server.requests.filter { $0.headers["Authorization"] != nil }
            #expect(answers.count == 1)
            #expect(fixture.server.statistics.requests <= 3)
        }
    }

    @Test func `a second password is tried when the first was wrong`() throws {
        try withFixture { fixture in
            let request = fixture.request("/digest-auth/auth/user/pass/SHA-256")
            let heard = load(fixture, request, "wrong", "pass")
            #expect(heard.responses.map(\.statusCode) == [200])
            #expect(heard.failureCounts == [0, 1])
        }
    }

    @Test func `the body of an upload goes out whole, and once with the answer`() throws {
        try withFixture { fixture in
            for isStream in [false, true] {
                fixture.server.resetLog()
                var request = fixture.request("/digest-auth/auth/user/pass", "POST")
                if isStream {
                    request.httpBodyStream = PiecesStream([Self.bytes])
                } else {
                    request.httpBody = Self.bytes
                }
                let heard = load(fixture, request, "pass")
                #expect(heard.status == 200)
                let answered = fixture.server.requests.filter {
                    $0.headers["Authorization"] != nil
                }
                #expect(answered.map(\.bodyHash) == [BodyHash.of(Self.bytes)])
                #expect(heard.sentTotal == Int64(Self.bytes.count))
            }
        }
    }

    @Test func `a stale nonce is answered again with the new one, and nobody is asked`() throws {
        try withFixture { fixture in
            fixture.server.add("/stale") { request in
                let field = request.headers["Authorization"] ?? ""
                if field.contains("\"n2\"") { return .text("authorized") }
                let isStale = field.contains("\"n1\"")
                let fresh = #"Digest realm="r", nonce="n2", stale=true, qop="auth""#
                return .text(
                    "Unauthorized", status: 401,
                    headers: [("WWW-Authenticate", isStale ? fresh : Self.challenge)])
            }
            let heard = load(fixture, fixture.request("/stale"), "pass", "other")
            #expect(heard.text == "authorized")
            #expect(heard.failureCounts == [0])
            #expect(heard.responses.count == 1)
        }
    }

    @Test func `R61, nonces that are stale for ever end with a clear error after few requests`()
        throws
    {
        try withFixture { fixture in
            fixture.server.add("/401-digest-stale") { request in
                let nonce = "n\(request.connection)-\(request.sequence)"
                let field = #"Digest realm="r", nonce="\#(nonce)", stale=true, qop="auth""#
                return .text("no", status: 401, headers: [("WWW-Authenticate", field)])
            }
            let heard = load(fixture, fixture.request("/401-digest-stale"), "pass", "pass", "pass")
            #expect(heard.code == .userAuthenticationRequired)
            #expect(heard.error?.localizedDescription.isEmpty == false)
            #expect(heard.ends == 1)
            #expect(heard.responses.isEmpty)
            #expect(fixture.server.statistics.requests <= 10)
        }
    }

    @Test(arguments: [false, true])
    func `no byte of a 401 that is answered reaches the delegate, kept connection or closed one`(
        closes: Bool
    ) throws {
        try withFixture { fixture in
            addDoor(fixture, closes: closes)
            for method in ["GET", "POST"] {
                let heard = load(fixture, fixture.request("/door", method), "pass")
                #expect(heard.order.suffix(4) == [.challenge, .response, .data, .finish])
                #expect(heard.responses.map(\.statusCode) == [200])
                #expect(heard.text == "authorized")
            }
        }
    }

    @Test func `the caller's own Authorization gives way to the answer`() throws {
        try withFixture { fixture in
            addDoor(fixture)
            var request = fixture.request("/door")
            request.setValue("Bearer old", forHTTPHeaderField: "authorization")
            #expect(load(fixture, request, "pass").text == "authorized")
            let sent = fixture.server.requests.map { $0.headers.values("Authorization") }
            #expect(sent.first == ["Bearer old"])
            #expect(sent.allSatisfy { $0.count <= 1 })
            #expect(sent.last?.first?.hasPrefix("Digest ") == true)
        }
    }

    @Test func `a realm comes back as it came, in whatever encoding`() throws {
        try withFixture { fixture in
            let challenge = #"Digest realm="B\#u{FC}ro", nonce="n1", qop="auth""#
            for encoding in [String.Encoding.utf8, .isoLatin1] {
                fixture.server.resetLog()
                let head =
                    "HTTP/1.1 401 No\r\nContent-Length: 0\r\nWWW-Authenticate: \(challenge)\r\n\r\n"
                let refusal = try #require(head.data(using: encoding))
                fixture.server.add("/coded") { request in
                    request.headers["Authorization"] != nil
                        ? .text("authorized") : ScriptedResponse([.bytes(refusal)])
                }
                var request = fixture.request("/coded", "POST")
                request.httpBody = Self.bytes
                #expect(load(fixture, request, "pass").text == "authorized")
                let requests = fixture.server.requests
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
        try withFixture { fixture in
            let bytes = Data("the body".utf8)
            fixture.server.add("/once") { request in
                request.sequence > 1
                    ? .text(String(decoding: request.body, as: UTF8.self))
                    : .text("no", status: 401, headers: [("WWW-Authenticate", Self.challenge)])
            }
            var request = fixture.request("/once", method)
            request.httpBody = bytes
            let heard = load(fixture, request, "pass")
            #expect(heard.text == "the body")
            #expect(heard.responses.map(\.statusCode) == [200])
        }
    }

    @Test func `a credential that was good is used after a redirect on the origin, unasked`() throws
    {
        try withFixture { fixture in
            addDoor(fixture)
            fixture.server.add("/first") { request in
                request.headers["Authorization"] != nil
                    ? .redirect(to: "/door")
                    : .text("no", status: 401, headers: [("WWW-Authenticate", Self.challenge)])
            }
            let heard = load(fixture, fixture.request("/first"), "pass")
            #expect(heard.text == "authorized")
            #expect(heard.failureCounts == [0])
        }
    }

    @Test func `R62, a redirect to another origin takes no Digest answer along`() throws {
        try withFixture { fixture in
            let other = LoopbackServer(address: "127.0.0.2")
            try other.start()
            defer { other.stop() }
            let challenge = [("WWW-Authenticate", Self.challenge)]
            other.add("/door") { _ in .text("other", status: 401, headers: challenge) }
            let target = other.url("/door").absoluteString
            fixture.server.add("/first") { request in
                request.headers["Authorization"] != nil
                    ? .redirect(to: target) : .text("no", status: 401, headers: challenge)
            }
            let heard = load(fixture, fixture.request("/first"), "pass")
            #expect(heard.text == "other")
            #expect(heard.count(.challenge) == 2)
            #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
        }
    }

    @Test func `a stronger way that is refused is not followed by a weaker one unasked`() throws {
        try withFixture { fixture in
            fixture.server.add("/both") { _ in
                .text(
                    "no", status: 401,
                    headers: [
                        ("WWW-Authenticate", #"Basic realm="r""#),
                        ("WWW-Authenticate", Self.challenge),
                    ])
            }
            #expect(load(fixture, fixture.request("/both"), "pass").status == 401)
            let sent = fixture.server.requests.compactMap { $0.headers["Authorization"] }
            #expect(sent.count == 1)
            #expect(sent.allSatisfy { $0.hasPrefix("Digest ") })
        }
    }

    @Test(arguments: ["us\r\nX-Injected: 1", "us\"er", "us\\er", "us\ner", "us\u{7F}er", "ü"])
    func `no user name adds a header, and none makes another request`(user: String) throws {
        try withFixture { fixture in
            addDoor(fixture)
            let recorder = Recorder()
            recorder.onChallenge = {
                guard $0.previousFailureCount == 0 else { return }
                let credential = URLCredential(user: user, password: "p\r\n", persistence: .none)
                $0.sender?.use(credential, for: $0)
            }
            let heard = fixture.load(fixture.request("/door"), recorder)
            #expect(heard.ends == 1)
            #expect(fixture.server.requests.allSatisfy { $0.headers["X-Injected"] == nil })
            #expect(fixture.server.statistics.malformed == 0)
            let answers = fixture.server.requests.compactMap { $0.headers["Authorization"] }
            #expect(answers.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
            #expect(heard.status == (answers.isEmpty ? 401 : 200))
        }
    }
}
