import Foundation
import LoopbackServer
import Testing

@Suite("The routes with httpbin's shapes", .timeLimit(.minutes(5)))
struct HttpbinRouteTests {
    private func object(_ response: RawClient.Response) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: response.body) as? [String: Any]) ?? [:]
    }

    private func send(
        _ client: RawClient, _ method: String, _ path: String, _ type: String, _ body: Data
    ) throws -> RawClient.Response {
        client.send(
            Data(
                """
                \(method) \(path) HTTP/1.1\r\nHost: t:1\r\ncontent-type: \(type)\r\n\
                Content-Length: \(body.count)\r\n\r\n
                """.utf8) + body)
        return try client.response()
    }

    @Test func `a GET is echoed with its arguments headers and URL`() throws {
        try withServer(.httpbin) { server in
            let client = try RawClient(port: server.port)
            let answer = object(try client.get("/get?a=1&b=x+y%26&a=2&c", "x-one-two: z"))
            let arguments = answer["args"] as? [String: Any]
            #expect(arguments?["a"] as? [String] == ["1", "2"])
            #expect(arguments?["b"] as? String == "x y&")
            #expect(arguments?["c"] as? String == "")
            #expect((answer["headers"] as? [String: String])?["X-One-Two"] == "z")
            #expect(answer["url"] as? String == "http://t/get?a=1&b=x+y%26&a=2&c")
            #expect(answer["origin"] as? String == "127.0.0.1")
            #expect(answer.count == 4)
        }
    }

    @Test func `a body is echoed as form, as JSON or as data`() throws {
        try withServer(.httpbin) { server in
            let client = try RawClient(port: server.port)
            let form = object(
                try send(
                    client, "POST", "/post", "application/x-www-form-urlencoded; charset=utf-8",
                    Data("k=v+w&k=2&e=%C3%A4".utf8)))
            #expect((form["form"] as? [String: Any])?["k"] as? [String] == ["v w", "2"])
            #expect((form["form"] as? [String: Any])?["e"] as? String == "ä")
            #expect(form["data"] as? String == "" && form["json"] is NSNull)
            let json = object(
                try send(client, "PUT", "/put", "application/json", Data("{\"a\":[1]}".utf8)))
            #expect((json["json"] as? [String: [Int]]) == ["a": [1]])
            #expect(json["data"] as? String == "{\"a\":[1]}")
            let bytes = object(
                try send(client, "PATCH", "/anything/x", "image/png", Data([0xff, 0xd8])))
            #expect(bytes["data"] as? String == "data:application/octet-stream;base64,/9g=")
            #expect(bytes["method"] as? String == "PATCH")
        }
    }

    @Test func `a multipart body is echoed as fields and files`() throws {
        try withServer(.httpbin) { server in
            let client = try RawClient(port: server.port)
            let body = """
                --b\r\nContent-Disposition: form-data; name="a;b"\r\n\r\none\r\n--b\r\n\
                content-disposition: form-data; name="f"; filename="x=y.txt"\r\n\
                Content-Type: text/plain\r\n\r\nline\r\n--c\r\n--b\r\n\
                Content-Disposition: form-data; name="empty"\r\n\r\n\r\n--b--\r\n
                """
            let type = "multipart/form-data; boundary=\"b\""
            let answer = object(try send(client, "POST", "/post", type, Data(body.utf8)))
            #expect((answer["form"] as? [String: String]) == ["a;b": "one", "empty": ""])
            #expect((answer["files"] as? [String: String]) == ["f": "line\r\n--c"])
        }
    }

    @Test(arguments: [
        ("/post", 405), ("/status/418", 418), ("/status/x", 400), ("/basic-auth/u/p", 401),
        ("/hidden-basic-auth/u/p", 404), ("/redirect/2", 302), ("/redirect/0", 404),
        ("/redirect-to?url=/get&status_code=307", 307), ("/range/0", 404), ("/bytes/x", 404),
        ("/stream-bytes/x", 404), ("/x/secret", 401), ("/x/token", 405), ("/x/json-404", 404),
        ("/x/html-404", 404), ("/delay/x", 400), ("/drip?numbytes=1&duration=0&code=202", 202),
        ("/redirect-to?url=%0d%0aX:%20y", 400),
    ])
    func `a route answers its status`(path: String, status: Int) throws {
        try withServer(.httpbin) { server in
            let response = try RawClient(port: server.port).get(path)
            #expect(response.status == status)
        }
    }

    @Test func `letters come in the wanted range`() throws {
        try withServer(.httpbin) { server in
            let client = try RawClient(port: server.port)
            let whole = try client.get("/range/60?duration=0.01&chunk_size=7")
            #expect(whole.text.hasPrefix("abcdefghijklmnopqrstuvwxyzab") && whole.body.count == 60)
            #expect(whole.header("ETag") == "range60")
            let part = try client.get("/range/60", "Range: bytes=25-", "If-Range: range60")
            #expect(part.status == 206 && part.body == whole.body[25...])
            #expect(part.header("Content-Range") == "bytes 25-59/60")
            #expect(try client.get("/range/60", "Range: bytes=60-").status == 416)
            #expect(try client.get("/range/60", "Range: bytes=1-", "If-Range: x").status == 200)
        }
    }

    @Test func `bytes come with a length, in chunks, and up to the end`() throws {
        try withServer(.httpbin) { server in
            let client = try RawClient(port: server.port)
            let bytes = GeneratedBytes.bytes(seed: 3, range: 0..<1_000)
            #expect(try client.get("/bytes/1000?seed=3").body == bytes)
            let chunked = try client.get("/stream-bytes/1000?seed=3&chunk_size=99")
            #expect(chunked.header("Transfer-Encoding") == "chunked" && chunked.body == bytes)
            #expect(try client.get("/drip?numbytes=3&duration=0").text == "***")
            #expect(try client.get("/x/no-length?size=1000&seed=3").body == bytes)
        }
    }

    @Test func `counters count and only the newest tokens open`() throws {
        try withServer(.httpbin) { server in
            let client = try RawClient(port: server.port)
            #expect(try object(client.get("/x/hits/a"))["hits"] as? Int == 1)
            #expect(try object(client.get("/x/hits/a"))["hits"] as? Int == 2)
            #expect(try object(client.get("/x/hits/b"))["hits"] as? Int == 1)
            #expect(try client.get("/x/flaky?fail=2&id=q").status == 503)
            #expect(try client.get("/x/flaky?fail=2&id=q").status == 503)
            #expect(try object(client.get("/x/flaky?fail=2&id=q"))["tries"] as? Int == 3)
            let token = try client.get("/x/token", "Content-Length: 0", method: "POST")
            #expect(token.text == "{\"token\":\"token-1\"}")
            #expect(try client.get("/x/secret", "Authorization: Token token-1").status == 200)
            #expect(try client.get("/x/secret", "Authorization: Token token-2").status == 401)
        }
    }

    @Test func `a multipart body is given back to the byte`() throws {
        try withServer(.httpbin) { server in
            let client = try RawClient(port: server.port)
            let type = "multipart/form-data; boundary=b"
            let body = Data("--b\r\n\r\n\u{0}x\r\n--b--\r\n".utf8)
            let answer = try send(client, "POST", "/x/multipart-raw", type, body)
            #expect(answer.body == body && answer.header("X-Content-Type") == type)
            for path in ["/x/sink", "/x/slow-sink?bps=1000000"] {
                let size = try send(client, "POST", path, type, body).text
                #expect(size == "{\"bytes\":\(body.count)}")
            }
        }
    }
}
