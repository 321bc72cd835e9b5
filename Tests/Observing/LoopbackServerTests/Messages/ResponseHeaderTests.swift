import Foundation
import LoopbackServer
import Testing

@Suite("Header fields of a route's response", .timeLimit(.minutes(5)))
struct ResponseHeaderTests {
    @Test func `a dictionary literal and pairs send the same fields, in order`() throws {
        try withServer { server in
            server.add("/literal") { _ in
                .status(204, headers: ["Set-Cookie": "a=1", "Set-Cookie": "b=2"])
            }
            server.add("/pairs") { _ in
                .status(204, headers: [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
            }
            let client = try RawClient(port: server.port)
            let literal = try client.get("/literal")
            let pairs = try client.get("/pairs")
            #expect(literal.head == pairs.head)
            #expect(literal.head.contains("Set-Cookie: a=1\r\nSet-Cookie: b=2"))
        }
    }

    @Test(arguments: ["/text?charset=", "/redirect?to=/", "/drip?n=1&etag="])
    func `a value from the query that would end its header field is refused`(
        path: String
    ) throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let refusal = try client.get(path + "a%0D%0AX-Split:%201")
            #expect(refusal.status == 400)
            #expect(refusal.header("X-Split") == nil)
            #expect(try client.get(path + "a").status != 400)
        }
    }

    @Test func `every response with a body takes a dictionary literal`() throws {
        try withServer { server in
            server.add("/text") { _ in .text("closed", status: 503, headers: ["Retry-After": "1"]) }
            server.add("/json") { _ in .json("{}", headers: ["ETag": "\"1\""]) }
            server.add("/value") { _ in .json(encoding: [1], headers: ["ETag": "\"2\""]) }
            server.add("/data") { _ in .data(Data("x".utf8), headers: ["ETag": "\"3\""]) }
            server.add("/none") { _ in .text("x", headers: []) }
            let client = try RawClient(port: server.port)
            #expect(try client.get("/text").header("Retry-After") == "1")
            #expect(try client.get("/json").header("ETag") == "\"1\"")
            #expect(try client.get("/value").header("ETag") == "\"2\"")
            #expect(try client.get("/data").header("ETag") == "\"3\"")
            #expect(try client.get("/none").text == "x")
        }
    }
}
