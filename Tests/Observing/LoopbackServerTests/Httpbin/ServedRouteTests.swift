import Foundation
import Testing

@testable import LoopbackServer

@Suite("What eras serve answers", .timeLimit(.minutes(2)))
struct ServedRouteTests {
    private func withServed(_ body: (RawClient) throws -> Void) throws {
        let server = LoopbackServer(routes: .served)
        try server.start()
        defer { server.stop() }
        try body(try RawClient(port: server.port))
    }

    private func object(_ answer: RawClient.Response) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
    }

    @Test func `the list has every path once`() {
        let paths = Routes.served.catalogue.map(\.path)
        #expect(Set(paths).count == paths.count)
        #expect(!paths.contains("/delay/SECONDS") && paths.contains("/delay/N"))
        #expect(Set(Routes.standard.catalogue.map(\.path)).subtracting(paths) == ["/delay/SECONDS"])
    }

    @Test func `a path of both sets is httpbin's, and bytes keep their ranges`() throws {
        try withServed { client throws in
            #expect(try object(try client.get("/headers"))["headers"] is [String: Any])
            let part = try client.get("/bytes/100", "Range: bytes=90-")
            #expect(part.status == 206 && part.body.count == 10)
        }
    }

    @Test func `the client gets its own address and headers`() throws {
        try withServed { client throws in
            #expect(try object(try client.get("/ip"))["origin"] as? String == "127.0.0.1")
            let agent = try object(try client.get("/user-agent", "User-Agent: me/1"))
            #expect(agent["user-agent"] as? String == "me/1")
            #expect(try object(try client.get("/user-agent"))["user-agent"] is NSNull)
            let uuid = try object(try client.get("/uuid"))["uuid"] as? String
            #expect(UUID(uuidString: uuid ?? "") != nil)
            #expect(try client.get("/base64/aGVsbG8=").text == "hello")
            #expect(try client.get("/encoding/utf8").text.contains("世界"))
        }
    }

    @Test func `a brotli body holds the JSON as it is`() throws {
        try withServed { client throws in
            let answer = try client.get("/brotli")
            #expect(answer.header("Content-Encoding") == "br")
            let body = answer.body.dropFirst(3).dropLast()
            #expect(answer.body.last == 3)
            let head = answer.body.prefix(3).enumerated().reduce(0) { $0 | Int($1.1) << (8 * $1.0) }
            #expect(head == (body.count - 1) << 4 | 1 << 20)
            let object = try JSONSerialization.jsonObject(with: body) as? [String: Any]
            #expect(object?["brotli"] as? Bool == true)
        }
        #expect(StoredCoding.brotli(Data()) == Data([0b110]))
        let long = StoredCoding.brotli(Data(repeating: 7, count: 65_537))
        #expect(long.count == 65_537 + 7 && long.suffix(5) == Data([0, 0, 8, 7, 3]))
    }

    @Test func `there are links, a form, a picture as WebP and one of several statuses`() throws {
        try withServed { client throws in
            #expect(try client.get("/links/3").header("Location") == "/links/3/0")
            let links = try client.get("/links/3/1").text
            #expect(links.contains("<a href='/links/3/2'>") && !links.contains("/links/3/1"))
            #expect(try client.get("/links/201").status == 404)
            #expect(try client.get("/forms/post").text.contains("<form method=\"post\""))
            let picture = try client.get("/image/webp")
            #expect(picture.header("Content-Type") == "image/webp")
            #expect(picture.body.prefix(4) == Data("RIFF".utf8))
            let statuses = try (1...40).map { _ in try client.get("/status/200,500").status }
            #expect(Set(statuses) == [200, 500])
            #expect(try client.get("/status/200,1").status == 400)
        }
    }

    @Test func `OPTIONS gets the methods of a path`() throws {
        try withServed { client throws in
            for (path, methods) in [("/get", "GET, HEAD, OPTIONS"), ("/post", "POST, OPTIONS")] {
                client.send(Data("OPTIONS \(path) HTTP/1.1\r\nHost: t\r\n\r\n".utf8))
                let answer = try client.response()
                #expect(answer.status == 200 && answer.header("Allow") == methods)
                #expect(answer.body.isEmpty)
            }
        }
    }

    @Test func `a stream has one object a line`() throws {
        try withServed { client throws in
            let answer = try client.get("/stream/3")
            let ids = try answer.text.split(separator: "\n").map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                return (object as? [String: Any])?["id"] as? Int
            }
            #expect(ids == [0, 1, 2])
        }
    }

    @Test func `a status has the field that it cannot do without`() throws {
        try withServed { client throws in
            #expect(try client.get("/status/302").header("Location") == "/redirect/1")
            #expect(try client.get("/status/401").header("WWW-Authenticate") != nil)
            #expect(try client.get("/status/418").status == 418)
        }
    }

    @Test func `a picture is of the kind that was asked for`() throws {
        try withServed { client throws in
            #expect(try client.get("/image/png").body.starts(with: [0x89, 0x50, 0x4e, 0x47]))
            let jpeg = try client.get("/image/jpeg").body
            #expect(jpeg.starts(with: [0xff, 0xd8, 0xff]) && jpeg.suffix(2) == Data([0xff, 0xd9]))
            for (accepted, kind) in [
                ("image/svg+xml", "image/svg+xml"), ("image/jpeg, */*;q=0.1", "image/jpeg"),
                ("IMAGE/JPEG", "image/jpeg"), ("image/webp, image/*", "image/png"),
                ("*/*", "image/png"), ("image/webp", "image/webp"),
            ] {
                let picture = try client.get("/image", "Accept: \(accepted)")
                #expect(picture.header("Content-Type") == kind, "\(accepted)")
            }
            #expect(try client.get("/image").header("Content-Type") == "image/png")
            #expect(try client.get("/image", "Accept: image/avif").status == 406)
        }
    }

    @Test func `coded bodies are stored blocks with the sums of their text`() {
        let empty = StoredCoding.gzip(Data())
        #expect(empty.suffix(13) == Data([1, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]))
        let text = Data("123456789".utf8)
        // The check values that both sums are known by.
        #expect(StoredCoding.gzip(text).suffix(8) == Data([0x26, 0x39, 0xf4, 0xcb, 9, 0, 0, 0]))
        #expect(StoredCoding.zlib(text).suffix(4) == Data([0x09, 0x1e, 0x01, 0xde]))
        #expect(StoredCoding.zlib(Data(count: 70_000)).count == 2 + 5 + 65_535 + 5 + 4_465 + 4)
    }

    @Test func `keys are in the order of their characters, values as they were`() throws {
        let object: [String: Any] = ["b": [1, true, NSNull(), "x/\"\n"], "a": ["z": 1.5], "B": 0]
        let data = try #require(SortedJSON.data(of: object))
        let text = String(decoding: data, as: UTF8.self)
        #expect(text == #"{"B":0,"a":{"z":1.5},"b":[1,true,null,"x/\"\n"]}"#)
        #expect(SortedJSON.data(of: ["a": Date()]) == nil)
        #expect(SortedJSON.data(of: [String: Any]()) == Data("{}".utf8))
    }

    @Test func `the echo's field names have capitals`() throws {
        try withServed { client throws in
            let headers = try object(try client.get("/headers", "x-MY-field: 1"))["headers"]
            #expect((headers as? [String: String])?["X-My-Field"] == "1")
        }
    }
}
