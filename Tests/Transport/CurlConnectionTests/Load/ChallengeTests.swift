import CurlConnection
import TestSupport

@Suite("Challenges", .timeLimit(.minutes(5)))
struct ChallengeTests {
    private static func credential(_ password: String = "pass") -> URLCredential {
        URLCredential(user: "user", password: password, persistence: .none)
    }

    /// Waits until a challenge was put and the server's 401 is here, then gives it to `body`.
    private func late(
        _ world: TestWorld, _ request: URLRequest,
        _ body: @escaping @Sendable (URLAuthenticationChallenge) -> Void
    ) -> Recorder {
        let recorder = Recorder()
        let challenge = Box<URLAuthenticationChallenge>()
        recorder.onChallenge = { challenge.value = $0 }
        world.thread.start(request, recorder)
        #expect(recorder.wait { $0.count(.challenge) == 1 })
        #expect(world.serverIsIdle())
        world.thread.settle()
        Thread { challenge.value.map(body) }.start()
        return recorder
    }

    @Test func `a credential given at once is sent, and the 401 stays hidden`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { $0.sender?.use(Self.credential(), for: $0) }
            let heard = world.load(world.request("/basic"), recorder)
            world.thread.settle()
            #expect(heard.text == "authorized")
            #expect(heard.order == [.willSend, .challenge, .response, .data, .finish])
            #expect(heard.responses.map(\.statusCode) == [200])
            #expect(world.server.requests.map(\.connection) == [1, 1])
        }
    }

    @Test func `the challenge says what is asked for`() throws {
        try withWorld { world in
            let recorder = Recorder()
            let seen = Box<URLAuthenticationChallenge>()
            recorder.onChallenge = {
                seen.value = $0
                $0.sender?.continueWithoutCredential(for: $0)
            }
            _ = world.load(world.request("/basic"), recorder)
            let challenge = try #require(seen.value)
            let space = challenge.protectionSpace
            #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
            #expect(space.realm == "loopback")
            #expect(space.host == "127.0.0.1")
            #expect(space.port == Int(world.server.port))
            #expect(challenge.previousFailureCount == 0)
            #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
        }
    }

    @Test func `a credential given later from another thread is sent`() throws {
        try withWorld { world in
            let recorder = late(world, world.request("/basic")) {
                $0.sender?.use(Self.credential(), for: $0)
            }
            let heard = recorder.atEnd()
            #expect(heard.text == "authorized")
            #expect(heard.order == [.willSend, .challenge, .response, .data, .finish])
            #expect(!heard.wasOutsideItsThread)
        }
    }

    @Test func `while a challenge waits other connections go on`() throws {
        try withWorld { world in
            let recorder = Recorder()
            let challenge = world.asked(world.request("/basic"), recorder)
            #expect(world.load("/ok").text == "hello world")
            #expect(recorder.heard.order == [.willSend, .challenge])
            let kept = try #require(challenge.value)
            kept.sender?.continueWithoutCredential(for: kept)
            #expect(recorder.atEnd().status == 401)
        }
    }

    @Test func `without a credential the 401 is delivered with its body, now or later`() throws {
        try withWorld { world in
            let now = world.load("/basic")
            let later = late(world, world.request("/basic")) {
                $0.sender?.continueWithoutCredential(for: $0)
            }.atEnd()
            for heard in [now, later] {
                #expect(heard.status == 401)
                #expect(heard.text == "Unauthorized")
                #expect(heard.order == [.willSend, .challenge, .response, .data, .finish])
            }
        }
    }

    @Test func `a wrong password that is given again is not sent again`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { $0.sender?.use(Self.credential("wrong"), for: $0) }
            let heard = world.load(world.request("/basic"), recorder)
            #expect(heard.status == 401)
            #expect(heard.failureCounts == [0, 1, 2, 3, 4])
            #expect(world.server.statistics.requests == 2)
        }
    }

    @Test func `a cancelled challenge is -1012, now or later`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = { $0.sender?.cancel($0) }
            let now = world.load(world.request("/basic"), recorder)
            let later = late(world, world.request("/basic")) { $0.sender?.cancel($0) }.atEnd()
            world.thread.settle()
            for heard in [now, later] {
                #expect(heard.code?.rawValue == -1012)
                #expect(heard.order == [.willSend, .challenge, .fail])
                #expect(heard.ends == 1)
            }
        }
    }

    @Test func `the first answer counts and the others are ignored`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = {
                $0.sender?.use(Self.credential(), for: $0)
                $0.sender?.cancel($0)
                $0.sender?.continueWithoutCredential(for: $0)
            }
            #expect(world.load(world.request("/basic"), recorder).text == "authorized")
        }
    }

    @Test func `an answer after the thread's transports were closed is ignored`() throws {
        try withWorld { world in
            let recorder = Recorder()
            let challenge = world.asked(world.request("/basic"), recorder)
            _ = world.thread.sync { TransportTable.closeAll() }
            let kept = try #require(challenge.value)
            kept.sender?.use(Self.credential(), for: kept)
            world.thread.settle()
            #expect(recorder.heard.order == [.willSend, .challenge])
        }
    }

    @Test func `the body of an upload is sent again with the credential`() throws {
        let bytes = GeneratedBytes.bytes(seed: 1, range: 0..<200_000)
        try withWorld { world in
            for isStream in [false, true] {
                world.server.resetLog()
                var request = world.request("/basic", "POST")
                if isStream {
                    request.httpBodyStream = PiecesStream([bytes])
                } else {
                    request.httpBody = bytes
                }
                let recorder = Recorder()
                recorder.onChallenge = { $0.sender?.use(Self.credential(), for: $0) }
                recorder.onNewStream = { PiecesStream([bytes]) }
                let heard = world.load(request, recorder)
                #expect(heard.text == "authorized")
                #expect(
                    world.server.requests.map(\.bodyHash)
                        == [BodyHash.of(bytes), BodyHash.of(bytes)])
            }
        }
    }

    @Test func `a stream that can be read once fails a challenge with -1021`() throws {
        try withWorld { world in
            var request = world.request("/basic", "POST")
            request.httpBodyStream = PiecesStream([Data("once".utf8)])
            let recorder = Recorder()
            recorder.onChallenge = { $0.sender?.use(Self.credential(), for: $0) }
            let heard = world.load(request, recorder)
            #expect(heard.code?.rawValue == -1021)
            #expect(world.server.statistics.requests == 1)
        }
    }

    @Test func `a 401 of many decoded bytes does not stop a late answer`() throws {
        try withWorld { world in
            world.server.add("/coded") { request in
                guard request.headers["Authorization"] == nil else { return .text("authorized") }
                return .data(
                    Compressed.zeros, status: 401,
                    headers: [
                        ("WWW-Authenticate", "Basic realm=\"r\""), ("Content-Encoding", "gzip"),
                    ])
            }
            var request = world.request("/coded")
            request.timeoutInterval = 8
            let recorder = late(world, request) { $0.sender?.use(Self.credential(), for: $0) }
            #expect(recorder.atEnd().text == "authorized")
            let other = late(world, request) { $0.sender?.continueWithoutCredential(for: $0) }
            #expect(other.atEnd().data == Data(count: Compressed.decodedCount))
        }
    }

    @Test func `a 401 without a scheme that is known is delivered`() throws {
        try withWorld { world in
            world.server.add("/digest") { _ in
                .text("no", status: 401, headers: [("WWW-Authenticate", "Digest realm=\"r\"")])
            }
            #expect(world.load("/digest").order == [.willSend, .response, .data, .finish])
        }
    }
}
