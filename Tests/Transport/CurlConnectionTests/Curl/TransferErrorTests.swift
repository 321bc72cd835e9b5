import TestSupport

@testable import CurlConnection

@Suite("Errors of a transfer", .timeLimit(.minutes(5)))
struct TransferErrorTests {
    /// What callers of the connection era saw for each thing that can befall an HTTP request.
    private static let table: [(libcurl: UInt32, expected: Int)] = [
        (1, -1017), (3, -1000), (6, -1003), (7, -1004), (18, -1005), (26, -1021), (28, -1001),
        (35, -1200), (42, -999), (47, -1007), (52, -1005), (55, -1005), (56, -1005), (60, -1202),
        (61, -1016), (63, -1103), (65, -1021), (8, -1011), (16, -1011), (92, -1005),
    ]

    @Test func `each code libcurl knows has a code of URLError`() {
        #expect(CurlCode.count > 90)
        for value in 1..<CurlCode.count {
            let code = CurlCode(rawValue: value).urlErrorCode
            #expect(code.rawValue < 0, "\(CurlCode(rawValue: value).text)")
        }
        #expect(CurlCode(rawValue: 9_999).urlErrorCode == .unknown)
    }

    @Test func `codes that HTTP can give have the known values`() {
        for (libcurl, expected) in Self.table {
            let code = CurlCode(rawValue: libcurl)
            #expect(code.urlErrorCode.rawValue == expected, "\(code.text)")
        }
    }

    @Test func `an error names its URL in both forms, its text and what lies below`() throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/path"))
        let error = URLError(
            .timedOut, url: url, text: "words", underlying: CurlError(.operationTimedOut))
        let bridged = error as NSError
        #expect(bridged.domain == NSURLErrorDomain)
        #expect(bridged.code == -1001)
        #expect(error.failingURL == url)
        #expect(bridged.userInfo["NSErrorFailingURLStringKey"] as? String == url.absoluteString)
        #expect(bridged.localizedDescription == "words")
        let below = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(below.domain == "libcurl.easy" && below.code == 28)
        #expect((error.underlyingError as? CurlError)?.code == 28)
    }

    @Test(arguments: [
        ("/garbage", -1017), ("/close", -1005), ("/reset", -1005), ("/truncated", -1005),
        ("/truncated-reset", -1005), ("/truncated-chunked", -1005), ("/bad-chunk", -1011),
    ])
    func `a broken answer fails with its code and never finishes`(path: String, code: Int) throws {
        try withWorld { world in
            let heard = world.load(path)
            world.thread.settle()
            #expect(heard.code?.rawValue == code)
            #expect(heard.ends == 1)
            #expect(heard.count(.finish) == 0)
            #expect(heard.error?.failingURL == world.server.url(path))
            #expect(heard.error?.underlyingError is CurlError)
        }
    }

    @Test func `the bytes before a cut are delivered`() throws {
        try withWorld { world in
            let heard = world.load("/truncated?length=1000&sent=100")
            #expect(heard.data == GeneratedBytes.bytes(seed: 1, range: 0..<100))
            #expect(heard.order == [.willSend, .response, .data, .fail])
        }
    }

    @Test func `nobody listening is -1004`() throws {
        try withWorld { world in
            let request = world.request("/ok")
            world.server.stop()
            let heard = world.load(request)
            #expect(heard.code?.rawValue == -1004)
            #expect(heard.order == [.willSend, .fail])
        }
    }

    @Test func `a host that does not exist is -1003`() throws {
        try withWorld { world in
            var request = world.request("/ok")
            request.url = URL(string: "http://nowhere.invalid/")
            #expect(world.load(request).code?.rawValue == -1003)
        }
    }
}
