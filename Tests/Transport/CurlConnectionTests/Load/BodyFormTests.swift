import CurlConnection
import TestSupport

@Suite("Forms of an answer", .timeLimit(.minutes(5)))
struct BodyFormTests {
    @Test(arguments: [
        ("/bytes/0", 200), ("/204", 204), ("/304", 304), ("/no-length?size=0", 200),
        ("/chunked?n=0", 200),
    ])
    func `an answer without a body finishes without data`(path: String, status: Int) throws {
        try withWorld { world in
            let heard = world.load(path)
            #expect(heard.status == status)
            #expect(heard.order == [.willSend, .response, .finish])
        }
    }

    @Test(arguments: ["/ok", "/bytes/1000", "/gzip", "/chunked", "/no-length", "/basic"])
    func `HEAD has the head alone`(path: String) throws {
        try withWorld { world in
            let heard = world.load(world.request(path, "HEAD"))
            #expect(heard.data.isEmpty)
            #expect(heard.order.last == .finish)
            #expect(heard.responses.count == 1)
            #expect(world.server.requests.map(\.method) == ["HEAD"])
        }
    }

    @Test func `HEAD tells the length it would have`() throws {
        try withWorld { world in
            let heard = world.load(world.request("/bytes/1000", "HEAD"))
            #expect(heard.responses.first?.expectedContentLength == 1_000)
        }
    }

    @Test func `a body ends where the connection ends`() throws {
        try withWorld { world in
            let heard = world.load("/no-length?size=200000")
            #expect(heard.data == GeneratedBytes.bytes(seed: 1, range: 0..<200_000))
            #expect(heard.responses.first?.expectedContentLength == -1)
            #expect(heard.order.last == .finish)
        }
    }

    @Test func `chunks come without their frames, and trailers do not show`() throws {
        try withWorld { world in
            let heard = world.load("/trailers")
            #expect(heard.text == "hello world")
            #expect(heard.order == [.willSend, .response, .data, .finish])
            #expect(heard.responses.first?.value(forHTTPHeaderField: "X-Trailer") == nil)
            #expect(world.load("/chunked?n=3&size=4").text == "aaaabbbbcccc")
        }
    }

    @Test(arguments: ["/early-hints", "/continue-unasked"])
    func `interim heads do not show`(path: String) throws {
        try withWorld { world in
            let heard = world.load(path)
            #expect(heard.responses.map(\.statusCode) == [200])
            #expect(heard.responses.first?.value(forHTTPHeaderField: "Link") == nil)
            #expect(heard.text == "hello world")
        }
    }

    @Test(arguments: ["/gzip", "/deflate"])
    func `a coded body is decoded, and its length is not told as the body's`(path: String) throws {
        try withWorld { world in
            let heard = world.load(path)
            #expect(heard.text == Routes.compressedText)
            #expect(heard.responses.first?.expectedContentLength == -1)
            let offer = try #require(world.server.requests.first?.headers["Accept-Encoding"])
            #expect(offer.contains("gzip"))
        }
    }

    @Test func `bytes behind a coded body are no part of it`() throws {
        try withWorld { world in
            world.server.add("/padded") { _ in
                .data(
                    Compressed.zeros + Data(count: 10), headers: [("Content-Encoding", "gzip")])
            }
            let heard = world.load("/padded")
            #expect(heard.data == Data(count: Compressed.decodedCount))
            #expect(heard.order == [.willSend, .response, .data, .finish])
        }
    }

    @Test func `a coded body that is broken fails and does not finish`() throws {
        try withWorld { world in
            world.server.add("/broken") { _ in
                .text("this is not gzip at all", headers: [("Content-Encoding", "gzip")])
            }
            let heard = world.load("/broken")
            #expect(heard.code == .cannotDecodeContentData)
            #expect(heard.ends == 1)
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "aws-chunked", "UTF-8", "none", "gzip, gzip"])
    func `a body comes as it is sent where that is wanted, whatever its coding`(coding: String)
        throws
    {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .data(
                    Data("not coded".utf8),
                    headers: [("Content-Encoding", coding), ("Cache-Control", "max-age=60")])
            }
            for decodes in [false, true, false] {
                let recorder = Recorder()
                let heard = world.load(world.request("/coded"), recorder) {
                    $0.configuration.decodesContent = decodes
                }
                guard !decodes else {
                    #expect(heard.code == .cannotDecodeContentData)
                    continue
                }
                #expect(heard.text == "not coded" && heard.error == nil)
                let response = try #require(heard.responses.first)
                #expect(response.expectedContentLength == 9)
                #expect(response.value(forHTTPHeaderField: "Content-Encoding") == coding)
            }
            #expect(
                world.server.requests.map { $0.headers["Accept-Encoding"] }
                    == ["identity", "gzip, deflate", "identity"])
        }
    }

    @Test(arguments: [
        ("gzip, deflate, br, zstd", "br"), ("gzip, deflate, br, zstd", "zstd, gzip"),
        ("*", "br"), ("GZIP;q=1.0, Compress;q=0.5", "compress"), ("br", "identity, BR"),
    ])
    func `a coding that the caller asked for and nobody here undoes arrives as sent`(
        asked: String, coding: String
    ) throws {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .text("as sent", headers: [("Content-Encoding", coding)])
            }
            var request = world.request("/coded")
            request.setValue(asked, forHTTPHeaderField: "accept-encoding")
            let heard = world.load(request)
            #expect(heard.text == "as sent")
            #expect(heard.code == nil)
            let response = try #require(heard.responses.first)
            #expect(response.value(forHTTPHeaderField: "Content-Encoding") == coding)
            #expect(response.expectedContentLength == 7)
            #expect(world.server.requests.first?.headers["Accept-Encoding"] == asked)
        }
    }

    @Test(arguments: [
        (nil, "br"), ("gzip", "br"), ("gzip, br;q=0", "br"), ("br", "br, zstd"), ("*;q=0.0", "br"),
        ("br", String(repeating: "br,", count: 20_000)),
    ])
    func `a coding that nobody asked for is an error`(asked: String?, coding: String) throws {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .text("as sent", headers: [("Content-Encoding", coding)])
            }
            var request = world.request("/coded")
            request.setValue(asked, forHTTPHeaderField: "Accept-Encoding")
            #expect(world.load(request).code == .cannotDecodeContentData)
        }
    }

    @Test func `what can be decoded is, whatever else the caller asked for`() throws {
        try withWorld { world in
            var request = world.request("/gzip")
            request.setValue("gzip, deflate, br, zstd", forHTTPHeaderField: "Accept-Encoding")
            #expect(world.load(request).text == Routes.compressedText)
        }
    }

    @Test func `an empty Accept is not sent, nor libcurl's own`() throws {
        try withWorld { world in
            var request = world.request("/ok")
            #expect(world.load(request).status == 200)
            request.setValue("", forHTTPHeaderField: "accept")
            #expect(world.load(request).status == 200)
            #expect(world.server.requests.map { $0.headers["Accept"] } == ["*/*", nil])
        }
    }

    @Test func `a part is asked for and delivered as it is`() throws {
        try withWorld { world in
            var request = world.request("/bytes/1000")
            request.setValue("bytes=100-199", forHTTPHeaderField: "Range")
            let heard = world.load(request)
            #expect(heard.status == 206)
            #expect(heard.data == GeneratedBytes.bytes(seed: 1, range: 100..<200))
            #expect(heard.responses.first?.expectedContentLength == 100)
            let sent = try #require(world.server.requests.first?.headers)
            #expect(sent["Range"] == "bytes=100-199")
            #expect((sent["Accept-Encoding"] ?? "identity") == "identity")
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `a part that was not requested is an error, after its response`(method: String) throws {
        try withWorld { world in
            world.server.add("/part") { _ in
                .text("half", status: 206, headers: [("Content-Range", "bytes 0-3/8")])
            }
            let heard = world.load(world.request("/part", method))
            #expect(heard.code == .badServerResponse)
            #expect(heard.status == 206)
            #expect(heard.data.isEmpty && heard.ends == 1)
        }
    }

    @Test func `a part that is coded all the same is delivered coded`() throws {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .data(Compressed.zeros, status: 206, headers: [("Content-Encoding", "gzip")])
            }
            var request = world.request("/coded")
            request.setValue("bytes=0-", forHTTPHeaderField: "Range")
            let heard = world.load(request)
            #expect(heard.data == Compressed.zeros)
            #expect(
                heard.responses.first?.expectedContentLength == Int64(Compressed.zeros.count))
        }
    }

    @Test func `an error status is an answer like another`() throws {
        try withWorld { world in
            for status in [400, 404, 418, 500, 503, 599] {
                let heard = world.load("/status/\(status)")
                #expect(heard.status == status)
                #expect(heard.order == [.willSend, .response, .data, .finish])
            }
        }
    }

    @Test func `bytes beyond the length are not delivered`() throws {
        try withWorld { world in
            #expect(world.load("/length-too-short").text == "hello")
        }
    }

    @Test func `a head of one long field is read`() throws {
        try withWorld { world in
            let heard = world.load("/big-head?size=60000")
            #expect(heard.responses.first?.value(forHTTPHeaderField: "X-Filler")?.count == 60_000)
            let tooBig = world.load("/big-head?size=1000000")
            #expect(tooBig.error != nil)
            #expect(tooBig.ends == 1)
        }
    }

    @Test func `a body larger than every buffer arrives whole`() throws {
        try withWorld { world in
            let heard = world.load("/bytes/20000000?seed=2")
            #expect(
                BodyHash.of(heard.data) == GeneratedBytes.hash(seed: 2, range: 0..<20_000_000))
        }
    }
}
