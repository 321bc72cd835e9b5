import Foundation
import LoopbackServer
import Testing

@Suite("The standard routes", .timeLimit(.minutes(5)))
struct CatalogueTests {
    @Test func `the index of each set lists every route with its sentence`() throws {
        #expect(Routes.catalogue.count >= 45)
        for routes in [Routes.standard, .httpbin] {
            try withServer(routes) { server in
                let index = try RawClient(port: server.port).get("/").text
                for entry in routes.catalogue {
                    #expect(index.contains("\n\(entry.path)\n    \(entry.sentence)\n"))
                    #expect(entry.sentence.hasSuffix("."))
                }
            }
        }
    }

    @Test(arguments: [
        ("/status/503", 503), ("/status/999", 400), ("/204", 204), ("/304", 304), ("/basic", 401),
        ("/redirect?status=307", 307), ("/redirect-loop", 302), ("/nothing-here", 404),
        ("/bytes/x", 400), ("/early-413", 413), ("/unread-not", 404),
    ])
    func `a route answers its status`(path: String, status: Int) throws {
        try withServer { server in
            let response = try RawClient(port: server.port).get(path)
            #expect(response.status == status)
        }
    }

    @Test func `a redirect chain ends after n redirects`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            var path = "/redirect-chain?n=5"
            var count = 0
            while case let answer = try client.get(path), answer.status == 302 {
                path = answer.header("Location") ?? ""
                count += 1
            }
            #expect(count == 5)
            #expect(path == "/ok")
        }
    }

    @Test func `basic accepts its credentials alone`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            #expect(
                try client.get("/basic").header("WWW-Authenticate") == "Basic realm=\"loopback\"")
            let good = Data("user:pass".utf8).base64EncodedString()
            #expect(try client.get("/basic", "Authorization: Basic \(good)").text == "authorized")
            #expect(
                try client.get("/basic?pass=else", "Authorization: Basic \(good)").status == 401)
        }
    }

    @Test func `chunks drips and trickles are whole`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/chunked?n=3&size=2").text == "aabbcc")
            #expect(try client.get("/trickle?bytes=12&gap=0.001").text == "012345678901")
            #expect(try client.get("/drip?n=2&size=9&delay=0.001").header("ETag") == "\"drip1\"")
            #expect(try client.get("/text?value=%C3%A4&charset=iso-8859-1").body == Data([0xe4]))
        }
    }

    @Test func `compressed bodies carry the checksums of their text`() throws {
        try withServer { server in
            let client = try RawClient(port: server.port)
            let text = Data(Routes.compressedText.utf8)
            let gzip = try client.get("/gzip")
            #expect(gzip.header("Content-Encoding") == "gzip")
            #expect(gzip.body.prefix(3) == Data([0x1f, 0x8b, 8]))
            #expect(gzip.body.suffix(8) == little(crc32(text)) + little(UInt32(text.count)))
            let deflate = try client.get("/deflate")
            #expect(deflate.header("Content-Encoding") == "deflate")
            #expect(deflate.body.prefix(2) == Data([0x78, 0xda]))
            #expect(deflate.body.suffix(4) == Data(little(adler32(text)).reversed()))
        }
    }

    private func little(_ value: UInt32) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    private func crc32(_ data: Data) -> UInt32 {
        var crc = UInt32.max
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xedb8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private func adler32(_ data: Data) -> UInt32 {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
