import Foundation
import LoopbackServer
import Testing

@Suite("How requests are read", .timeLimit(.minutes(5)))
struct RequestTests {
    @Test func `ok answers eleven bytes of text`() throws {
        try withServer { server in
            let response = try RawClient(port: server.port).get("/ok")
            #expect(response.status == 200)
            #expect(response.text == "hello world")
            #expect(response.header("Content-Length") == "11")
            #expect(response.header("Content-Type") == "text/plain")
        }
    }

    @Test func `one connection carries two requests`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/ok").text == "hello world")
            #expect(try client.get("/json").text == #"{"a":"b"}"#)
            #expect(server.requests.map(\.sequence) == [1, 2])
            #expect(server.requests.map(\.connection) == [1, 1])
            #expect(server.statistics.connectionsAccepted == 1)
        }
    }

    @Test func `pipelined requests are answered in their order`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send(
                "GET /text?value=one HTTP/1.1\r\n\r\nGET /delay/0.01 HTTP/1.1\r\n\r\n"
                    + "POST /upload HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
                    + "GET /text?value=four HTTP/1.1\r\n\r\n")
            #expect(try client.response().text == "one")
            #expect(try client.response().text == "slept 0.01")
            #expect(try client.response().text.contains("\"bytes\":3"))
            #expect(try client.response().text == "four")
        }
    }

    @Test func `a request may come byte by byte`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            for byte in Data("POST /echo HTTP/1.1\r\nA: b\r\nContent-Length: 2\r\n\r\nhi".utf8) {
                client.send(Data([byte]))
            }
            #expect(try client.response().text.contains("\"body\":\"aGk=\""))
        }
    }

    @Test func `close in the request closes after the answer`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/ok", "Connection: close").text == "hello world")
            #expect(client.toEnd().isEmpty)
            #expect(client.ending == .fin)
        }
    }

    @Test func `HTTP 1.0 closes after the answer`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET /ok HTTP/1.0\r\n\r\n")
            #expect(try client.response().text == "hello world")
            #expect(client.toEnd().isEmpty)
            #expect(client.ending == .fin)
        }
    }

    @Test(arguments: ["/ok", "/bytes/100000", "/chunked", "/drip?delay=30", "/early-hints"])
    func `HEAD sends the head and no body`(path: String) throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            var response = try client.get(path, method: "HEAD")
            if response.status == 103 { response = try client.response(hasBody: false) }
            #expect(response.status == 200)
            #expect(try client.get("/json").text == #"{"a":"b"}"#)
        }
    }

    @Test func `a chunked upload arrives whole and with its trailer`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send(
                "POST /upload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Sum: 11\r\n\r\n")
            let hash = BodyHash.of(Data("hello world".utf8))
            #expect(hash == 0x779a_65e7_023c_d2e7)
            #expect(
                try client.response().text == #"{"bytes":11,"fnv":"779a65e7023cd2e7"}"#)
            let request = try #require(server.requests.first)
            #expect(request.body == Data("hello world".utf8))
            #expect(request.bodyLength == 11)
            #expect(request.bodyIsComplete)
            #expect(request.trailers["x-sum"] == "11")
            #expect(try client.get("/ok").status == 200)
        }
    }

    @Test func `a long upload is hashed whole and kept up to the limit`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let body = GeneratedBytes.bytes(seed: 3, range: 0..<3_000_001)
            client.send("PUT /upload HTTP/1.1\r\nContent-Length: \(body.count)\r\n\r\n")
            client.send(body)
            _ = try client.response()
            let request = try #require(server.requests.first)
            #expect(request.bodyLength == 3_000_001)
            #expect(request.bodyHash == GeneratedBytes.hash(seed: 3, range: 0..<3_000_001))
            #expect(request.body == body.prefix(RecordedRequest.keptBodyLimit))
        }
    }

    @Test func `Expect is answered with 100 before the body`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send(
                "POST /upload HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try client.headText() == "HTTP/1.1 100 Continue")
            client.send("ok")
            #expect(try client.response().text.contains("\"bytes\":2"))
        }
    }

    @Test func `an early answer comes without 100 and ends with FIN`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send(
                "POST /early-413 HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9999\r\n\r\n")
            client.send(Data(count: 5_000))
            #expect(try client.response().status == 413)
            #expect(client.toEnd().isEmpty)
            #expect(client.ending == .fin)
        }
    }

    @Test func `a slow reader reads the whole body`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST /slow-read?bps=1000000 HTTP/1.1\r\nContent-Length: 50000\r\n\r\n")
            client.send(Data(count: 50_000))
            #expect(try client.response().text == "read")
            #expect(server.requests.first?.bodyLength == 50_000)
            #expect(try client.get("/ok").status == 200)
        }
    }

    @Test(arguments: [
        ("HELLO\r\n\r\n", 400), ("GET / HTTP/3.0\r\n\r\n", 505), ("GET / FTP\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
    ])
    func `what is not HTTP is refused and closed`(text: String, status: Int) throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send(text)
            #expect(try client.response().status == status)
            #expect(client.toEnd().isEmpty)
            #expect(server.statistics.malformed == 1)
            #expect(server.statistics.inFlight == 0)
        }
    }

    @Test func `a head above 64 KiB is refused with 431`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let filler = String(repeating: "x", count: 66_000)
            #expect(try client.get("/ok", "X-Filler: \(filler)").status == 431)
        }
    }

    @Test func `the log holds target path query and fields`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            _ = try client.get("/a%20b?x=1&y=%2F&x=2&z", "One: 1", "oNE: 2")
            let request = try #require(server.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/a%20b?x=1&y=%2F&x=2&z")
            #expect(request.path == "/a b")
            #expect(request.query == ["x": "1", "y": "/", "z": ""])
            #expect(request.headers.all.map(\.name) == ["Host", "One", "oNE"])
            #expect(request.headers["ONE"] == "1")
            #expect(request.headers.values("one") == ["1", "2"])
            server.resetLog()
            #expect(server.requests.isEmpty)
            #expect(server.statistics.requests == 0)
            #expect(server.statistics.connectionsOpen == 1)
        }
    }
}
