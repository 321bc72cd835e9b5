import OperationNetworking
import TestSupport

@testable import eras

@Suite("Results as JSON", .timeLimit(.minutes(2)))
struct FetchResultTests {
    @Test func `a line has exactly the documented keys in their order`() {
        var result = FetchResult(index: 0, url: "http://h/a")
        result.path = "out/a"
        result.bytes = 12
        result.sha256 = "ab"
        result.queuedMilliseconds = 1.23456
        result.wireMilliseconds = 0
        result.resumedFrom = 5
        result.kept = .same
        result.status = 200
        result.finalURL = "http://u:p@h/b"
        result.ended = Date(timeIntervalSince1970: 0)
        let expected =
            #"{"url":"http://h/a","path":"out/a","bytes":12,"sha256":"ab","queued_ms":1.235,"#
            + #""wire_ms":0,"thread":null,"resumed_from":5,"error":null,"outcome":"same","#
            + #""status":200,"kind":null,"final_url":"http://u:***@h/b","#
            + #""ended":"1970-01-01T00:00:00Z"}"#
        #expect(result.jsonLine == expected)
    }

    @Test(arguments: [
        ("ftp://u:SECRET@x/y", "ftp://u:***@x/y"), ("http://u:a:b@c@h:80/", "http://u:***@h:80/"),
        ("http://u@h/a:b@c", "http://u@h/a:b@c"), ("http://h:80?u:p@h", "http://h:80?u:p@h"),
        ("http://[::1]/", "http://[::1]/"), ("u:p@h", "u:p@h"), ("", ""),
    ])
    func `a password is not repeated`(url: String, shown: String) throws {
        #expect(ShownURL.text(url) == shown)
        var result = FetchResult(index: 0, url: url)
        result.error = "No."
        #expect(ProgressText.finished(result) == "failed  \(shown): No.")
        #expect(result.jsonLine.hasPrefix("{\"url\":\"\(shown)\","))
    }

    @Test func `what is unknown is null`() throws {
        var result = FetchResult(index: 0, url: "x")
        result.fail(DownloadError.status(404))
        let data = Data(result.jsonLine.utf8)
        let object = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object.count == 14)
        #expect(object.values.count { $0 is NSNull } == 9)
        #expect(object["outcome"] as? String == "failed")
        #expect(object["kind"] as? String == "status")
    }

    @Test(arguments: ["a\nb", "\"", "\\", "\u{0}\u{1}", "ü€🎉", "\u{2028}", "</script>"])
    func `any text survives on one line`(text: String) throws {
        let line = FetchResult(index: 0, url: text).jsonLine
        #expect(!line.utf8.contains(UInt8(ascii: "\n")))
        let object =
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["url"] as? String == text)
    }

    @Test func `the exit code says what happened`() {
        let good = FetchResult(index: 0, url: "a")
        var bad = good
        bad.fail(DownloadError.status(404))
        var worse = good
        worse.fail(URLError(.cannotFindHost))
        var interrupted = good
        interrupted.fail(URLError(.cancelled))
        #expect(ExitCode.of([good]) == .success)
        #expect(ExitCode.of([good, bad, bad]) == .status)
        #expect(ExitCode.of([worse]) == .lookUp)
        #expect(ExitCode.of([worse, bad]) == .failed)
        #expect(ExitCode.of([good, bad, interrupted]) == .interrupted)
    }
}
