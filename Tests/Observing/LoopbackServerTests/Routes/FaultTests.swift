import Foundation
import LoopbackServer
import Synchronization
import Testing

@Suite("Faults on the wire", .timeLimit(.minutes(5)))
struct FaultTests {
    private func wire(_ path: String) throws -> (String, RawClient.Ending?) {
        var result = ("", RawClient.Ending?.none)
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET \(path) HTTP/1.1\r\n\r\n")
            result.0 = String(decoding: client.toEnd(), as: UTF8.self)
            result.1 = client.ending
        }
        return result
    }

    @Test(arguments: [
        ("/close", "", RawClient.Ending.fin),
        ("/reset", "", .reset),
        ("/garbage", "\u{1}\u{2}this is not HTTP\r\n\r\n", .fin),
        (
            "/length-too-short", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello world", .fin
        ),
        (
            "/truncated-chunked",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\na\r\nhalf", .fin
        ),
        (
            "/bad-chunk",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\nzz\r\nbad\r\n", .fin
        ),
    ])
    func `a fault sends exactly its bytes`(
        path: String, bytes: String, ending: RawClient.Ending
    ) throws {
        let (text, end) = try wire(path)
        #expect(text == bytes)
        #expect(end == ending)
    }

    @Test func `a truncated body ends after the bytes asked for`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET /truncated?length=500&sent=30 HTTP/1.1\r\n\r\n")
            #expect(try client.headText().contains("Content-Length: 500"))
            #expect(client.toEnd() == GeneratedBytes.bytes(seed: 1, range: 0..<30))
            #expect(client.ending == .fin)
        }
    }

    @Test func `a truncated body can end with a reset`() throws {
        #expect(try wire("/truncated-reset").1 == .reset)
    }

    @Test func `a hanging head is half a head and stays open`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET /hang-headers HTTP/1.1\r\n\r\n")
            let half = Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)
            #expect(try client.exactly(half.count) == half)
            #expect(server.statistics.connectionsOpen == 1)
            server.stop()
            #expect(client.toEnd().isEmpty)
        }
    }

    @Test func `interim responses precede the final one`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let hints = try client.get("/early-hints")
            #expect(hints.status == 103)
            #expect(hints.header("Link") != nil)
            #expect(try client.response().text == "hello world")
            #expect(try client.get("/continue-unasked").status == 100)
            #expect(try client.response().text == "hello world")
        }
    }

    @Test func `the status of a response with interim heads is the final one`() throws {
        try withServer { server in
            server.add("/in-parts") { _ in
                ScriptedResponse([
                    .bytes(ScriptedResponse.head(103)), .bytes(Data("HTTP/1.1 2".utf8)),
                    .bytes(Data("04 No Content\r\n\r\n".utf8)),
                ])
            }
            server.add("/interim-alone") { _ in
                ScriptedResponse([.bytes(ScriptedResponse.head(103)), .close])
            }
            let statuses = Mutex<[String: Int]>([:])
            server.observe { request, status in statuses.withLock { $0[request.path] = status } }
            let expected = [
                "/early-hints": 200, "/continue-unasked": 200, "/in-parts": 204,
                "/interim-alone": 103, "/hang-headers": 200, "/status/404": 404, "/garbage": 0,
                "/close": 0,
            ]
            for path in expected.keys {
                let client = try RawClient(port: server.port)
                client.send("GET \(path) HTTP/1.1\r\n\r\n")
                #expect(
                    server.waitUntil(timeout: 10) { _, log in log.contains { $0.path == path } })
            }
            server.stop()
            #expect(statuses.withLock(\.self) == expected)
        }
    }

    @Test func `trailers follow the chunks`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/trailers").text == "hello world")
            #expect(client.trailers == ["X-Trailer: done"])
        }
    }

    @Test func `range faults are wrong in their way`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let ignored = try client.get("/range-ignored", "Range: bytes=5-")
            #expect(ignored.status == 200)
            #expect(ignored.body.count == 1_000)
            let wrong = try client.get("/range-wrong", "Range: bytes=5-")
            #expect(wrong.status == 206)
            #expect(wrong.header("Content-Range") == "bytes 15-999/1000")
            #expect(try client.get("/range-416", "Range: bytes=5-").status == 416)
            #expect(try client.get("/range-416").status == 200)
            let first = try client.get("/etag-changes").header("ETag") ?? ""
            let second = try client.get(
                "/etag-changes", "Range: bytes=5-", "If-Range: \(first)")
            #expect(second.status == 200)
            #expect(second.header("ETag") != first)
        }
    }

    @Test func `flaky cuts the first requests of an id`() throws {
        try withServer { server in
            for _ in 1...2 {
                let client = try RawClient(port: server.port)
                client.send("GET /flaky?fail=2&id=a HTTP/1.1\r\n\r\n")
                #expect(client.toEnd().isEmpty)
            }
            let client = try RawClient(port: server.port)
            #expect(try client.get("/flaky?fail=2&id=a").text == "ok")
            #expect(try client.get("/flaky?fail=0&id=b").text == "ok")
        }
    }

    @Test func `a cut file is whole after resumes`() throws {
        try withServer { server in
            var file = Data()
            for _ in 1...4 {
                let client = try RawClient(port: server.port)
                client.send(
                    "GET /cut?after=300&of=1000 HTTP/1.1\r\nRange: bytes=\(file.count)-\r\n\r\n")
                #expect(
                    try client.headText().contains("Content-Length: \(1_000 - file.count)"))
                file += try client.exactly(min(300, 1_000 - file.count))
            }
            #expect(file == GeneratedBytes.bytes(seed: 1, range: 0..<1_000))
            #expect(server.waitUntil(timeout: 10) { counters, _ in counters.inFlight == 0 })
        }
    }

    @Test func `a body without a length ends with the connection`() throws {
        try withServer { server in
            let response = try RawClient(port: server.port).get("/no-length?size=5000")
            #expect(response.header("Content-Length") == nil)
            #expect(response.body == GeneratedBytes.bytes(seed: 1, range: 0..<5_000))
        }
    }
}
