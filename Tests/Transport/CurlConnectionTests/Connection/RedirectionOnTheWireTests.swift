import CurlConnection
import TestSupport

@Suite("Redirects on the wire", .timeLimit(.minutes(5)))
struct RedirectionOnTheWireTests {
    private static let bytes = GeneratedBytes.bytes(seed: 3, range: 0..<300_000)

    @Test func `the delegate is asked once before the first request and once for each redirect`()
        throws
    {
        try withFixture { fixture in
            let heard = fixture.load("/redirect-chain?n=3")
            #expect(heard.count(.willSend) == 1)
            #expect(heard.count(.willSendRedirect) == 3)
            #expect(heard.redirects.map(\.statusCode) == [302, 302, 302])
            #expect(
                heard.redirects.map(\.url)
                    == ["?n=3", "?n=2", "?n=1"].map {
                        fixture.server.url("/redirect-chain" + $0)
                    })
            #expect(heard.order == [.willSend, .willSendRedirect, .response, .data, .finish])
            #expect(heard.text == "hello world")
            #expect(heard.responses.map(\.url) == [fixture.server.url("/ok")])
        }
    }

    @Test func `the connection tells the request it sent last`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            let heard = fixture.load(fixture.request("/redirect-chain?n=2"), recorder)
            #expect(heard.ends == 1)
            let urls = fixture.thread.sync {
                [recorder.connection?.originalRequest.url, recorder.connection?.currentRequest.url]
            }
            #expect(
                urls == [
                    fixture.server.url("/redirect-chain?n=2"), fixture.server.url("/ok"),
                ])
        }
    }

    @Test func `a relative location is read from the redirect before it`() throws {
        try withFixture { fixture in
            fixture.server.add("/a/one") { _ in .redirect(to: "b/two") }
            fixture.server.add("/a/b/two") { _ in .redirect(to: "c/three") }
            fixture.server.add("/a/b/c/three") { _ in .text("here") }
            #expect(fixture.load("/a/one").text == "here")
        }
    }

    @Test func `a location's escapes and its bytes that are no UTF-8 come back as they were`()
        throws
    {
        try withFixture { fixture in
            for (path, bytes) in [
                ("/one", Array("/target/my file%2F\u{fc}".utf8)),
                ("/two", Array("/target/caf".utf8) + [0xE9]),
            ] {
                let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8)
                fixture.server.add(path) { _ in
                    ScriptedResponse([.bytes(Data(head + bytes + Array("\r\n\r\n".utf8)))])
                }
            }
            fixture.server.add("/target/", isPrefix: true) { .text($0.target) }
            #expect(fixture.load("/one").text == "/target/my%20file%2F%C3%BC")
            #expect(fixture.load("/two").text == "/target/caf%E9")
        }
    }

    @Test func `twenty redirects are followed and the next fails with -1007`() throws {
        try withFixture { fixture in
            #expect(fixture.load("/redirect-chain?n=20").text == "hello world")
            fixture.server.resetLog()
            let heard = fixture.load("/redirect-loop")
            #expect(heard.code?.rawValue == -1007)
            #expect(heard.ends == 1)
            #expect(heard.count(.willSendRedirect) == 20)
            #expect(fixture.server.statistics.requests == 21)
        }
    }

    @Test func `a redirect to another scheme fails with -1002`() throws {
        try withFixture { fixture in
            let heard = fixture.load("/redirect?to=ftp://127.0.0.1/x")
            #expect(heard.code?.rawValue == -1002)
            #expect(heard.order == [.willSend, .fail])
        }
    }

    @Test func `without a location the redirect is the answer`() throws {
        try withFixture { fixture in
            fixture.server.add("/nowhere") { _ in .text("nowhere", status: 302) }
            let heard = fixture.load("/nowhere")
            #expect(heard.status == 302)
            #expect(heard.text == "nowhere")
        }
    }

    @Test func `a delegate that refuses gets the redirect with its body`() throws {
        try withFixture { fixture in
            fixture.server.add("/away") { _ in
                .text("moved", status: 302, headers: [("Location", "/ok")])
            }
            let recorder = Recorder()
            recorder.onWillSend = { request, redirect in redirect == nil ? request : nil }
            let heard = fixture.load(fixture.request("/away"), recorder)
            #expect(heard.status == 302)
            #expect(heard.text == "moved")
            #expect(heard.order == [.willSend, .willSendRedirect, .response, .data, .finish])
            #expect(fixture.server.statistics.requests == 1)
        }
    }

    @Test func `a delegate that refuses the first request gets -999 and nothing is sent`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            recorder.onWillSend = { _, _ in nil }
            let heard = fixture.load(fixture.request("/ok"), recorder)
            #expect(heard.code == .cancelled)
            #expect(heard.order == [.willSend, .fail])
            #expect(fixture.server.statistics.connectionsAccepted == 0)
        }
    }

    @Test func `what the delegate puts in place of a request is sent`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            recorder.onWillSend = { request, redirect in
                var other = request
                other.setValue(redirect == nil ? "first" : "second", forHTTPHeaderField: "X-Turn")
                return other
            }
            _ = fixture.load(fixture.request("/redirect"), recorder)
            #expect(fixture.server.requests.map { $0.headers["X-Turn"] } == ["first", "second"])
        }
    }

    @Test func `a redirect's body that never ends does not hold the next request up`() throws {
        try withFixture { fixture in
            fixture.server.add("/endless") { _ in
                let head = ScriptedResponse.head(
                    302, [("Location", "/ok"), ("Content-Length", "1000")])
                return ScriptedResponse([.bytes(head), .stall])
            }
            var request = fixture.request("/endless")
            request.timeoutInterval = 300
            #expect(fixture.load(request).text == "hello world")
        }
    }

    @Test func `a long body of a redirect is not read to its end`() throws {
        try withFixture { fixture in
            fixture.server.add("/long") { _ in
                let head = ScriptedResponse.head(
                    302, [("Location", "/ok"), ("Content-Length", "\(1 << 40)")])
                return ScriptedResponse([.bytes(head), .generated(seed: 1, range: 0..<(1 << 40))])
            }
            #expect(fixture.load("/long").text == "hello world")
            #expect(fixture.server.statistics.bytesSent < 1 << 30)
        }
    }

    @Test func `headers of the origin stay behind on the wire`() throws {
        try withFixture { fixture in
            let other = LoopbackServer()
            try other.start()
            defer { other.stop() }
            // Given a redirect away and a redirect from there to a third path
            other.add("/away") { _ in .redirect(to: "/ok") }
            var request = fixture.request("/redirect?to=\(other.url("/away").absoluteString)")
            for name in ["Authorization", "Cookie", "X-Custom"] {
                request.setValue("value", forHTTPHeaderField: name)
            }
            #expect(fixture.load(request).text == "hello world")
            // Then they were sent to the origin alone, and do not come back
            #expect(fixture.server.requests.map { $0.headers["Authorization"] } == ["value"])
            #expect(other.requests.map { $0.headers["Authorization"] } == [nil, nil])
            #expect(other.requests.map { $0.headers["Cookie"] } == [nil, nil])
            #expect(other.requests.map { $0.headers["X-Custom"] } == ["value", "value"])
            #expect(other.requests.first?.headers["Host"] == "127.0.0.1:\(other.port)")
        }
    }

    @Test func `a fragment is not sent and stays in the response's URL`() throws {
        try withFixture { fixture in
            let heard = fixture.load("/redirect?to=/ok#part")
            #expect(heard.responses.first?.url == fixture.server.url("/ok#part"))
            #expect(fixture.server.requests.map(\.target) == ["/redirect?to=/ok", "/ok"])
        }
    }
}

extension RedirectionOnTheWireTests {
    /// Each kind of body that can be sent again, as the request that has it.
    private func repeatable(_ fixture: Fixture, _ file: TemporaryFile) throws -> [(
        String, URLRequest
    )] {
        var data = fixture.request("/redirect?to=/upload&status=307", "POST")
        data.httpBody = Self.bytes
        var known = fixture.request("/redirect?to=/upload&status=308", "PUT")
        known.httpBodyStream = InputStream(fileAtPath: file.path)
        known.setValue("\(Self.bytes.count)", forHTTPHeaderField: "Content-Length")
        return [("data", data), ("file", known)]
    }

    @Test func `307 and 308 send the same body again`() throws {
        let file = try TemporaryFile(Self.bytes)
        try withFixture { fixture in
            for (name, request) in try repeatable(fixture, file) {
                fixture.server.resetLog()
                let heard = fixture.load(request)
                let log = fixture.server.requests
                #expect(heard.status == 200, "\(name) \(String(describing: heard.error))")
                #expect(log.map(\.bodyHash) == [BodyHash.of(Self.bytes), BodyHash.of(Self.bytes)])
                #expect(log.map(\.method) == [request.httpMethod, request.httpMethod], "\(name)")
                #expect(heard.sentBytes == 2 * Int64(Self.bytes.count), "\(name)")
                #expect(heard.sentTotal == Int64(Self.bytes.count), "\(name)")
            }
        }
        withExtendedLifetime(file) {}
    }

    @Test func `303 leaves the body behind`() throws {
        try withFixture { fixture in
            var request = fixture.request("/redirect?to=/echo&status=303", "POST")
            request.httpBody = Self.bytes
            #expect(fixture.load(request).status == 200)
            let last = try #require(fixture.server.requests.last)
            #expect(last.method == "GET")
            #expect(last.bodyLength == 0)
            #expect(last.headers["Content-Length"] == nil)
        }
    }

    @Test func `a stream that can be read once fails with -1021 and is not sent in part`() throws {
        try withFixture { fixture in
            var request = fixture.request("/redirect?to=/upload&status=307", "POST")
            request.httpBodyStream = PiecesStream([Self.bytes])
            let heard = fixture.load(request)
            #expect(heard.code?.rawValue == -1021)
            #expect(heard.ends == 1)
            #expect(heard.count(.newStream) == 1)
            #expect(fixture.server.statistics.requests == 1)
        }
    }

    @Test func `the delegate's new stream is sent`() throws {
        try withFixture { fixture in
            var request = fixture.request("/redirect?to=/upload&status=307", "POST")
            request.httpBodyStream = PiecesStream([Self.bytes])
            let recorder = Recorder()
            recorder.onNewStream = { PiecesStream([Self.bytes]) }
            let heard = fixture.load(request, recorder)
            #expect(heard.status == 200)
            #expect(heard.count(.newStream) == 1)
            #expect(
                fixture.server.requests.map(\.bodyHash)
                    == [BodyHash.of(Self.bytes), BodyHash.of(Self.bytes)])
        }
    }
}
