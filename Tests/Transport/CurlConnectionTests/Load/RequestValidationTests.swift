import CurlConnection
import TestSupport

@Suite("Requests that cannot be sent", .timeLimit(.minutes(5)))
struct RequestValidationTests {
    private static let unsupported = [
        "ftp://127.0.0.1/", "file:///etc/passwd", "data:,hello", "about:blank", "gopher://a.test/",
        "/relative", "mailto:a@b.test",
    ]
    private static let hostless = ["http:///path", "http:path", "https://", "http://:80/"]
    private static let methods = [
        "GE T", "GET\r\nX: y", "GET\r", "GET\n", "G\u{0}T", "GÄT", "GET:", "(GET)",
    ]
    private static let names = ["X Y", "X:Y", "X\r\nY", "X\nY", "X\u{0}", "Ä", "X\t"]
    private static let values =
        ["a\rb", "a\nb", "a\r\nb", "a\r\n b", "a\u{0}b", "\r\n", "a\r\n"]
        + (UInt8(0)..<0x20).filter { $0 != 9 }.map { "a\(Unicode.Scalar($0))" }
        + ["\u{1B}]0;title\u{7}", "a\u{7F}"]

    /// Loads, and expects one failure, not inside `start`, and nothing on the wire.
    private func expectFailure(
        _ world: TestWorld, _ request: URLRequest, _ code: Int, _ note: String,
        naming name: String? = nil
    ) {
        let recorder = Recorder()
        let request = Box(request)
        let callsAtReturn = world.thread.sync {
            guard let request = request.value else { return -1 }
            recorder.thread = Thread.current
            recorder.connection = URLConnection(request: request, delegate: recorder)
            return recorder.heard.calls.count
        }
        let heard = recorder.atEnd()
        world.thread.settle()
        #expect(callsAtReturn == 0, "\(note)")
        #expect(heard.calls == [.fail], "\(note)")
        #expect(heard.code?.rawValue == code, "\(note)")
        if let name { #expect(heard.error?.localizedDescription.contains(name) == true, "\(note)") }
        #expect(world.server.requests.isEmpty, "\(note)")
        #expect(world.server.statistics.connectionsAccepted == 0, "\(note)")
    }

    @Test func `a scheme other than http and https is -1002`() throws {
        try withWorld { world in
            for text in Self.unsupported {
                var request = world.request("/ok")
                request.url = URL(string: text)
                expectFailure(world, request, -1002, text)
            }
        }
    }

    @Test func `a URL without a host is -1000, and so is none`() throws {
        try withWorld { world in
            for text in Self.hostless {
                guard let url = URL(string: text) else { continue }
                var request = world.request("/ok")
                request.url = url
                expectFailure(world, request, -1000, text)
            }
            var request = world.request("/ok")
            request.url = nil
            expectFailure(world, request, -1000, "no URL")
        }
    }

    @Test func `a method that is not a token is -1000`() throws {
        try withWorld { world in
            for method in Self.methods {
                expectFailure(
                    world, world.request("/ok", method), -1000, method.debugDescription)
            }
        }
    }

    @Test func `a field name that is not a token is -1000`() throws {
        try withWorld { world in
            for name in Self.names {
                var request = world.request("/ok")
                request.setValue("value", forHTTPHeaderField: name)
                try #require(request.allHTTPHeaderFields?[name] != nil)
                expectFailure(
                    world, request, -1000, name.debugDescription, naming: name.debugDescription)
            }
        }
    }

    @Test func `a tab and letters beyond ASCII go out in a field value`() throws {
        try withWorld { world in
            var request = world.request("/ok")
            request.allHTTPHeaderFields = ["X-Field": "a\tb é漢"]
            #expect(world.load(request).status == 200)
            #expect(world.server.requests.first?.headers["X-Field"] == "a\tb é漢")
        }
    }

    @Test func `a field value with a control character other than the tab is -1000`() throws {
        try withWorld { world in
            for value in Self.values {
                var request = world.request("/ok")
                // The one way by which Foundation lets such a value in.
                request.allHTTPHeaderFields = ["X-Field": value]
                try #require(request.allHTTPHeaderFields?["X-Field"] == value)
                expectFailure(
                    world, request, -1000, value.debugDescription, naming: "X-Field")
            }
        }
    }

    @Test(arguments: ["GET", "POST", "DELETE"])
    func `a transfer coding without a body, and one that is not carried out, are -1000`(
        method: String
    ) throws {
        try withWorld { world in
            for (coding, body) in [
                ("chunked", nil), ("gzip", "b"), ("gzip, chunked", "b"), ("chunked, chunked", "b"),
                ("identity", "b"), ("", "b"), ("chunked;x=y", "b"), ("xchunked", "b"),
            ] {
                var request = world.request("/ok", method)
                request.setValue(coding, forHTTPHeaderField: "transfer-encoding")
                request.httpBody = body.map { Data($0.utf8) }
                expectFailure(
                    world, request, -1000, "\(coding) \(body ?? "-")",
                    naming: "Transfer-Encoding")
            }
        }
    }

    @Test func `the coding that is carried out is taken, in any spelling, with any body`() throws {
        try withWorld { world in
            for isStream in [false, true] {
                var request = world.request("/echo", "PUT")
                request.setValue(" Chunked ", forHTTPHeaderField: "TRANSFER-ENCODING")
                if isStream {
                    request.httpBodyStream = InputStream(data: Data("body".utf8))
                    request.setValue("4", forHTTPHeaderField: "Content-Length")
                } else {
                    request.httpBody = Data("body".utf8)
                }
                #expect(world.load(request).status == 200)
            }
            for seen in world.server.requests {
                #expect(seen.body == Data("body".utf8))
                #expect(seen.headers.values("Transfer-Encoding") == ["chunked"])
                #expect(seen.headers["Content-Length"] == nil)
            }
        }
    }

    @Test func `a port that is none is -1000`() throws {
        try withWorld { world in
            var request = world.request("/ok")
            request.url = URL(string: "http://127.0.0.1:99999/")
            let heard = world.load(request)
            #expect(heard.code?.rawValue == -1000)
            #expect(heard.ends == 1)
        }
    }

    @Test func `what a delegate puts in place of a request is checked too`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onWillSend = { request, _ in
                var other = request
                other.allHTTPHeaderFields = ["X-Field": "a\r\nX-Injected: b"]
                return other
            }
            let heard = world.load(world.request("/ok"), recorder)
            #expect(heard.code?.rawValue == -1000)
            #expect(heard.calls == [.willSend, .fail])
            #expect(world.server.statistics.connectionsAccepted == 0)
        }
    }

    @Test func `a space never reaches the wire`() throws {
        try withWorld { world in
            // Foundation escapes it or refuses to make a URL.
            let text = "http://127.0.0.1:\(world.server.port)/a b?c d"
            guard let url = URL(string: text) else { return }
            var request = world.request("/ok")
            request.url = url
            _ = world.load(request)
            #expect(world.server.requests.allSatisfy { $0.target == "/a%20b?c%20d" })
            #expect(world.server.statistics.malformed == 0)
        }
    }

    @Test func `fields go out as they were given`() throws {
        try withWorld { world in
            var request = world.request("/headers")
            let fields = [
                "X-One": "a:b, c", "X-Empty": "", "X-Quoted": "\"q\"; p=1", "X-Blank": "  ",
            ]
            for (name, value) in fields {
                request.setValue(value, forHTTPHeaderField: name)
            }
            #expect(world.load(request).status == 200)
            let sent = try #require(world.server.requests.first?.headers)
            #expect(sent["X-One"] == "a:b, c")
            #expect(sent["X-Empty"] == "")
            #expect(sent["X-Blank"] == "")
            #expect(sent["X-Quoted"] == "\"q\"; p=1")
        }
    }
}
