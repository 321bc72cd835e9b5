import CurlConnection
import TestSupport

@Suite("Heads before the final one, and a refused expectation", .timeLimit(.minutes(2)))
struct InterimResponseTests {
    /// What a server sends before its 200, and how the load ends.
    private func load(_ world: TestWorld, behind lines: [String]) -> Heard {
        world.server.add("/interim") { _ in
            ScriptedResponse.text("hello").after(
                .bytes(Data(lines.map { $0 + "\r\n" }.joined().utf8)))
        }
        return world.load("/interim")
    }

    @Test(
        arguments: [
            ["HTTP/1.1 100 Continue", ""],
            ["HTTP/1.1 100 Continue", "Content-Length: 0", ""],
            ["HTTP/1.1 100", "content-length:0 ", ""],
            ["HTTP/1.1 102 Processing", "Content-Length: 00", "X-Step: 1", ""],
            ["HTTP/1.1 103 Early Hints", "Link: </a.css>", "Content-Length: 0, 0", ""],
            ["HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 103 Early Hints", "A: b", ""],
            [
                "HTTP/1.1 100 Continue", "Content-Length: 0", "", "HTTP/1.1 102 Processing", "",
                "HTTP/1.1 199 X", "Connection: keep-alive", "", "HTTP/1.1 100 Continue", "",
            ],
        ])
    func `interim heads are passed over, also one that says that it has no body`(
        lines: [String]
    ) throws {
        try withWorld { world in
            let heard = load(world, behind: lines)
            #expect(heard.text == "hello", "\(heard.error as Any)")
            #expect(heard.responses.map(\.statusCode) == [200])
            for name in ["Link", "X-Step", "A"] {
                #expect(heard.responses.first?.value(forHTTPHeaderField: name) == nil)
            }
            // The connection is as good as any.
            #expect(world.load("/ok").text == "hello world")
            #expect(world.server.statistics.connectionsAccepted == 1)
        }
    }

    @Test(
        arguments: [
            ["HTTP/1.1 101 Switching Protocols", "Upgrade: mystery", "Connection: Upgrade", ""],
            ["HTTP/1.1 100 Continue", "", "HTTP/1.1 101 Switching Protocols", ""],
            ["HTTP/1.1 100 Continue", "Content-Length: 5", ""],
            ["HTTP/1.1 103 Early Hints", "Content-Length: 0, 5", ""],
            ["HTTP/1.1 100 Continue", "Content-Length:", ""],
            ["HTTP/1.1 100 Continue", "Content-Length: -0", ""],
            ["HTTP/1.1 102 Processing", "Content-Length : 0", ""],
            ["HTTP/1.1 103 Early Hints", "Transfer-Encoding: chunked", ""],
        ])
    func `one that announces a body is refused, and so is another protocol`(
        lines: [String]
    ) throws {
        try withWorld { world in
            let heard = load(world, behind: lines)
            #expect(heard.code == .badServerResponse)
            #expect(heard.responses.isEmpty)
            #expect(world.load("/ok").text == "hello world")
        }
    }

    /// A server that refuses an expectation, on a connection that it keeps open or closes.
    private func refuse(_ world: TestWorld, staysOpen: Bool, always: Bool) {
        world.server.hold("417")
        world.server.add("/expect", beforeBody: true) { request in
            guard always || request.headers["Expect"] != nil else {
                return .text("taken").after(.readBody)
            }
            let refusal = ScriptedResponse.text("refused", status: 417)
            return staysOpen ? refusal.then(.wait(gate: "417")) : refusal
        }
    }

    private func expecting(_ world: TestWorld, _ method: String) -> URLRequest {
        var request = world.request("/expect", method)
        request.httpBody = Data("body".utf8)
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        return request
    }

    @Test(arguments: ["POST", "PUT"], [false, true])
    func `after 417 the request goes out once more, without its Expect`(
        method: String, staysOpen: Bool
    ) throws {
        try withWorld { world in
            refuse(world, staysOpen: staysOpen, always: false)
            defer { world.server.release("417") }
            #expect(world.load("/ok").text == "hello world")
            let heard = world.load(expecting(world, method))
            #expect(heard.text == "taken", "\(heard.error as Any)")
            #expect(heard.responses.map(\.statusCode) == [200])
            #expect(heard.sentTotal == 4)
            #expect(heard.ends == 1)
            let asked = world.server.requests.filter { $0.path == "/expect" }
            #expect(asked.map { $0.headers["Expect"] } == ["100-continue", nil])
            #expect(asked.last?.bodyLength == 4)
            // The body that did not go out at first is no part of the next request.
            #expect(world.load("/ok").text == "hello world")
        }
    }

    @Test(arguments: [false, true])
    func `a 417 to a request without Expect is the response`(staysOpen: Bool) throws {
        try withWorld { world in
            refuse(world, staysOpen: staysOpen, always: true)
            defer { world.server.release("417") }
            let heard = world.load(expecting(world, "POST"))
            #expect(heard.status == 417, "\(heard.error as Any)")
            #expect(heard.text == "refused")
            #expect(heard.responses.count == 1)
            #expect(world.server.requests.count { $0.path == "/expect" } == 2)
        }
    }

    /// A server that reads a body before it refuses the expectation, and a request whose stream cannot be rewound.
    private func refuseAfterBody(
        _ world: TestWorld, always: Bool, _ stream: InputStream
    ) -> URLRequest {
        world.server.add("/read", beforeBody: true) { request in
            guard always || request.headers["Expect"] != nil else {
                return .text("taken").after(.readBody)
            }
            return .text("refused", status: 417).after(.readBody)
        }
        var request = world.request("/read", "PUT")
        request.httpBodyStream = stream
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        return request
    }

    @Test func `the stream before and the one in its place are closed once each`() throws {
        try withWorld { world in
            let closed = Log<String>()
            let request = refuseAfterBody(
                world, always: false, CallingStream(in: .close) { closed.add("first") })
            let recorder = Recorder()
            recorder.onNewStream = { CallingStream(in: .close) { closed.add("second") } }
            let heard = world.load(request, recorder)
            #expect(heard.text == "taken", "\(heard.error as Any)")
            #expect(heard.count(.newStream) == 1 && closed.all == ["first", "second"])
        }
    }

    @Test func `after a late answer with another stream the request has no Expect either`() throws {
        try withWorld { world in
            let decider = Decider(late: .stream)
            let request = refuseAfterBody(
                world, always: true, PiecesStream([Data("once".utf8)]))
            world.thread.start(request, decider)
            #expect(decider.isCalled(.stream))
            decider.goOn()
            // A second question would have no answer.
            #expect(decider.recorder.wait { $0.hasEnded || $0.count(.newStream) > 1 })
            #expect(decider.recorder.heard.status == 417)
            #expect(world.server.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
            _ = world.thread.sync { decider.recorder.connection?.cancel() }
        }
    }

    @Test func `an interim head frames no body, whatever stands in it before`() throws {
        try withWorld { world in
            let lines = [
                "HTTP/1.1 103 Early Hints", "HTTP/1.1 200 OK: b",
                "Transfer-Encoding: chunked", "", "HTTP/1.1 200 OK", "", "5", "hello", "0", "", "",
            ]
            world.server.add("/odd") { _ in
                ScriptedResponse([.bytes(Data(lines.joined(separator: "\r\n").utf8)), .close])
            }
            let heard = world.load("/odd")
            #expect(heard.code == .badServerResponse)
            #expect(heard.text == "")
        }
    }
}
