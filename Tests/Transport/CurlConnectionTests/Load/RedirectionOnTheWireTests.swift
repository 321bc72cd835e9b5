import CurlConnection
import TestSupport

@Suite("Redirects on the wire", .timeLimit(.minutes(5)))
struct RedirectionOnTheWireTests {
    private static let bytes = GeneratedBytes.bytes(seed: 3, range: 0..<300_000)

    @Test func `the delegate is asked once before the first request and once for each redirect`()
        throws
    {
        try withWorld { world in
            let heard = world.load("/redirect-chain?n=3")
            #expect(heard.count(.willSend) == 1)
            #expect(heard.count(.willSendRedirect) == 3)
            #expect(heard.redirects.map(\.statusCode) == [302, 302, 302])
            #expect(
                heard.redirects.map(\.url)
                    == ["?n=3", "?n=2", "?n=1"].map {
                        world.server.url("/redirect-chain" + $0)
                    })
            #expect(heard.order == [.willSend, .willSendRedirect, .response, .data, .finish])
            #expect(heard.text == "hello world")
            #expect(heard.responses.map(\.url) == [world.server.url("/ok")])
        }
    }

    @Test func `the connection tells the request it sent last`() throws {
        try withWorld { world in
            let recorder = Recorder()
            let heard = world.load(world.request("/redirect-chain?n=2"), recorder)
            #expect(heard.ends == 1)
            let urls = world.thread.sync {
                [recorder.connection?.originalRequest.url, recorder.connection?.currentRequest.url]
            }
            #expect(
                urls == [
                    world.server.url("/redirect-chain?n=2"), world.server.url("/ok"),
                ])
        }
    }

    @Test func `a location's escapes and its bytes that are no UTF-8 come back as they were`()
        throws
    {
        try withWorld { world in
            for (path, bytes) in [
                ("/one", Array("/target/my file%2F\u{fc}".utf8)),
                ("/two", Array("/target/caf".utf8) + [0xE9]),
            ] {
                let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8)
                world.server.add(path) { _ in
                    ScriptedResponse([.bytes(Data(head + bytes + Array("\r\n\r\n".utf8)))])
                }
            }
            world.server.add("/target/", isPrefix: true) { .text($0.target) }
            #expect(world.load("/one").text == "/target/my%20file%2F%C3%BC")
            #expect(world.load("/two").text == "/target/caf%E9")
        }
    }

    @Test func `twenty redirects are followed and the next fails with -1007`() throws {
        try withWorld { world in
            #expect(world.load("/redirect-chain?n=20").text == "hello world")
            world.server.resetLog()
            let heard = world.load("/redirect-loop")
            #expect(heard.code?.rawValue == -1007)
            #expect(heard.ends == 1)
            #expect(heard.count(.willSendRedirect) == 20)
            #expect(world.server.statistics.requests == 21)
        }
    }

    @Test func `a delegate that refuses the first request gets -999 and nothing is sent`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onWillSend = { _, _ in nil }
            let heard = world.load(world.request("/ok"), recorder)
            #expect(heard.code == .cancelled)
            #expect(heard.order == [.willSend, .fail])
            #expect(world.server.statistics.connectionsAccepted == 0)
        }
    }

    @Test func `what the delegate puts in place of a request is sent`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onWillSend = { request, redirect in
                var other = request
                other.setValue(redirect == nil ? "first" : "second", forHTTPHeaderField: "X-Turn")
                return other
            }
            _ = world.load(world.request("/redirect"), recorder)
            #expect(world.server.requests.map { $0.headers["X-Turn"] } == ["first", "second"])
        }
    }

    @Test func `a redirect's body that never ends does not hold the next request up`() throws {
        try withWorld { world in
            world.server.add("/endless") { _ in
                let head = ScriptedResponse.head(
                    302, [("Location", "/ok"), ("Content-Length", "1000")])
                return ScriptedResponse([.bytes(head), .stall])
            }
            var request = world.request("/endless")
            request.timeoutInterval = 300
            #expect(world.load(request).text == "hello world")
        }
    }

    @Test func `a long body of a redirect is not read to its end`() throws {
        try withWorld { world in
            world.server.add("/long") { _ in
                let head = ScriptedResponse.head(
                    302, [("Location", "/ok"), ("Content-Length", "\(1 << 40)")])
                return ScriptedResponse([.bytes(head), .generated(seed: 1, range: 0..<(1 << 40))])
            }
            #expect(world.load("/long").text == "hello world")
            #expect(world.server.statistics.bytesSent < 1 << 30)
        }
    }

    @Test func `headers of the origin stay behind on the wire`() throws {
        try withWorld { world in
            let other = LoopbackServer.started()
            defer { other.stop() }
            // Given a redirect away and a redirect from there to a third path
            other.add("/away") { _ in .redirect(to: "/ok") }
            var request = world.request("/redirect?to=\(other.url("/away").absoluteString)")
            for name in ["Authorization", "Cookie", "X-Custom"] {
                request.setValue("value", forHTTPHeaderField: name)
            }
            #expect(world.load(request).text == "hello world")
            // Then they were sent to the origin alone, and do not come back
            #expect(world.server.requests.map { $0.headers["Authorization"] } == ["value"])
            #expect(other.requests.map { $0.headers["Authorization"] } == [nil, nil])
            #expect(other.requests.map { $0.headers["Cookie"] } == [nil, nil])
            #expect(other.requests.map { $0.headers["X-Custom"] } == ["value", "value"])
            #expect(other.requests.first?.headers["Host"] == "127.0.0.1:\(other.port)")
        }
    }

    @Test func `a fragment is not sent and stays in the response's URL`() throws {
        try withWorld { world in
            let heard = world.load("/redirect?to=/ok#part")
            #expect(heard.responses.first?.url == world.server.url("/ok#part"))
            #expect(world.server.requests.map(\.target) == ["/redirect?to=/ok", "/ok"])
        }
    }
}

extension RedirectionOnTheWireTests {
    /// Each kind of body that can be sent again, as the request that has it.
    private func repeatable(_ world: TestWorld, _ file: TemporaryFile) throws -> [(
        String, URLRequest
    )] {
        var data = world.request("/redirect?to=/upload&status=307", "POST")
        data.httpBody = Self.bytes
        var known = world.request("/redirect?to=/upload&status=308", "PUT")
        known.httpBodyStream = InputStream(fileAtPath: file.path)
        known.setValue("\(Self.bytes.count)", forHTTPHeaderField: "Content-Length")
        return [("data", data), ("file", known)]
    }

    @Test func `307 and 308 send the same body again`() throws {
        let file = try TemporaryFile(Self.bytes)
        try withWorld { world in
            for (name, request) in try repeatable(world, file) {
                world.server.resetLog()
                let heard = world.load(request)
                let log = world.server.requests
                #expect(heard.status == 200, "\(name) \(String(describing: heard.error))")
                #expect(log.map(\.bodyHash) == [BodyHash.of(Self.bytes), BodyHash.of(Self.bytes)])
                #expect(log.map(\.method) == [request.httpMethod, request.httpMethod], "\(name)")
                #expect(heard.sentBytes == 2 * Int64(Self.bytes.count), "\(name)")
                #expect(heard.sentTotal == Int64(Self.bytes.count), "\(name)")
            }
        }
        withExtendedLifetime(file) {}
    }

    @Test func `the delegate's new stream is sent`() throws {
        try withWorld { world in
            var request = world.request("/redirect?to=/upload&status=307", "POST")
            request.httpBodyStream = PiecesStream([Self.bytes])
            let recorder = Recorder()
            recorder.onNewStream = { PiecesStream([Self.bytes]) }
            let heard = world.load(request, recorder)
            #expect(heard.status == 200)
            #expect(heard.count(.newStream) == 1)
            #expect(
                world.server.requests.map(\.bodyHash)
                    == [BodyHash.of(Self.bytes), BodyHash.of(Self.bytes)])
        }
    }
}
