import HTTPSemantics
import TestSupport

@testable import CurlConnection

@Suite("What the head of an answer may be", .timeLimit(.minutes(1)))
struct HeadRulesTests {
    /// The first fault of a head, each line given with its end.
    private func fault(
        _ lines: [String], limit: Int = LoadLimits().head, isHTTP2: Bool = false
    ) -> ResponseFault? {
        var rules = HeadRules(limit: limit)
        for line in lines {
            let fault = Data((line + "\r\n").utf8).withUnsafeBytes {
                rules.fault(in: $0, isHTTP2: isHTTP2)
            }
            if let fault { return fault }
        }
        return nil
    }

    private func verdict(
        _ fields: [(String, String)], status: Int = 200, version: String = "HTTP/1.1"
    ) -> HeadVerdict {
        HeadRules.verdict(
            on: ResponseHead(
                version: version, statusCode: status,
                fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) })))
    }

    private func isRefused(_ verdict: HeadVerdict) -> Bool {
        if case .refuse(let fault) = verdict { return fault.code == .badServerResponse }
        return false
    }

    @Test(arguments: ["Content-Type", "content-disposition"])
    func `a field that Foundation reads in quadratic time is refused where it is long`(
        name: String
    ) {
        let longest = String(repeating: "a", count: 8_190)
        #expect(verdict([(name, longest)]) == .accept)
        let half = String(longest.prefix(4_100))
        for fields in [[(name, longest + "a")], [(name, half), ("X", "y"), (name, half)]] {
            guard case .refuse(let fault) = verdict(fields) else {
                Issue.record("\(fields.count) lines are accepted")
                continue
            }
            #expect(fault.code == .dataLengthExceedsMaximum)
        }
    }

    @Test(
        arguments: [
            ["HTTP/1.1 200 OK", "Content-Length: 2", ""], ["HTTP/1.1 200", ""],
            ["HTTP/1.1 200 ", ""],
            ["HTTP/1.0 404 Not Found", "A:b", "Empty:", ""],
            ["HTTP/1.1 200 OK", "X: one", " two", "\tthree", ""], ["HTTP/1.1 200 OK", ": v", ""],
            ["HTTP/1.1 200 OK", "X-Space : v", "X-Ctl: a\u{1}\u{7F}b", "X: grüße", ""],
            [
                "HTTP/1.1 103 Early Hints", "Link: <a>", "", "HTTP/1.1 200 OK", "Content-Length: 0",
                "",
            ],
            ["HTTP/1.1 999 X", ""], ["HTTP/1.1 200 OK", "HTTP/1.1: a", ""],
            ["HTTP/1.1 200 OK", "HTTP/1.1 103 Early Hints: b", "Content-Length: 5", ""],
            ["HTTP/1.1 100 C", "", "HTTP/1.1 103 E", "X: y", "", "HTTP/1.1 200 OK", ""],
        ])
    func `good heads pass, also odd ones that are clear`(lines: [String]) {
        #expect(fault(lines) == nil)
    }

    @Test(
        arguments: [
            ["HTTP/1.1 200 OK", "X: a\rY: b"], ["HTTP/1.1 200 OK", "X: a\u{0}b"],
            ["HTTP/1.1 200 OK", "no colon"], ["HTTP/1.1 200 OK", " X: folded"],
            ["HTTP/1.1 200 OK", "Content-Length : 5"],
            ["HTTP/1.1 200 OK", "TRANSFER-ENCODING\t: x"],
            ["HTTP/1.1 103 Early", "Content-Length: 5"],
            ["HTTP/1.1 100 C", "transfer-encoding: chunked"],
            ["HTTP/1.1 101 Switching Protocols"], ["HTTP/1.1 abc"], ["HTTP/1.1  200 OK"],
            ["HTTP/9.9 200 OK"],
            ["HTTP/2 200 OK"], ["HTTP/2 200 "], ["HTTP/3 200 "], ["HTTP/2 103 Early"],
            ["HTTP/1 200 OK"], ["HTTP/1.2 200 OK"], ["HTTP/1.1"], ["HTTP/1.1 200OK"],
            ["HTTP/1.1 103 Early Hints", "HTTP/1.1 200 OK"],
            ["HTTP/1.1 200 OK", "HTTP/1.1 103 Early Hints"],
            ["HTTP/1.1 200 OK", "A: b", "", "HTTP/1.1 200 OK"],
            ["HTTP/1.1 103 Early Hints", "HTTP/1.1 200 OK: b", "Content-Length: 5"],
        ])
    func `a line is refused for what libcurl lets through`(lines: [String]) {
        #expect(fault(lines)?.code == .badServerResponse)
        #expect(fault(Array(lines.dropLast())) == nil)
    }

    @Test func `HTTP/2 is a status line where both sides have agreed on it, and HTTP/3 nowhere`() {
        #expect(fault(["HTTP/2 200 ", "a: b", ""], isHTTP2: true) == nil)
        #expect(fault(["HTTP/2 20 "], isHTTP2: true) != nil)
        #expect(fault(["HTTP/3 200 "], isHTTP2: true) != nil)
    }

    @Test
    func `a head over the limits says so, counted over interim heads and trailers`() {
        let status = "HTTP/1.1 200 OK"
        let line = "X: " + String(repeating: "a", count: 30)
        #expect(fault([status, line, line], limit: 100) == nil)
        #expect(fault([status, line, line, line], limit: 100) == ResponseFault(.head, 100))
        let interim = ["HTTP/1.1 102 P", line, ""]
        #expect(fault(interim + interim, limit: 100) == ResponseFault(.head, 100))
        #expect(fault([status, "A: b", "", "X-Trailer: b", line, line], limit: 100) != nil)
        let many = Array(repeating: "X:y", count: 9_999)
        #expect(fault([status] + many) == nil)
        #expect(fault([status] + many + ["X:y"])?.code == .dataLengthExceedsMaximum)
    }

    @Test(
        arguments: [
            ["+5"], ["-5"], ["0x5"], ["5 0"], ["five"], [""], [" "], ["5,"], [",5"], ["2, 3"],
            ["9223372036854775808"], ["99999999999999999999999"], ["2", "5"], ["2", "2, 3"], ["٣"],
        ])
    func `a length that is none, or two lengths, are refused`(values: [String]) {
        #expect(isRefused(verdict(values.map { ("content-length", $0) })))
    }

    @Test(
        arguments: [
            ["2"], ["2, 2"], ["2", "2"], ["2", " 2 , 2"], ["9223372036854775807"], ["002"],
        ])
    func `one length said twice is one`(values: [String]) {
        #expect(verdict(values.map { ("Content-Length", $0) }) == .accept)
    }

    @Test(
        arguments: [
            ["gzip, chunked"], ["chunked, chunked"], ["chunked", "chunked"], ["mystery"],
            ["chunked x"],
            ["chunked;a=b"], [""], ["xchunked"], ["chunked, identity"],
        ])
    func `a transfer coding that was not asked for is refused`(values: [String]) {
        #expect(isRefused(verdict(values.map { ("Transfer-Encoding", $0) })))
    }

    @Test
    func `framing that another peer may see otherwise costs the connection`() {
        let chunked = ("Transfer-Encoding", "Chunked")
        let length = ("Content-Length", "3")
        #expect(verdict([chunked]) == .accept)
        #expect(verdict([chunked, length]) == .acceptAndClose)
        #expect(verdict([length, chunked]) == .acceptAndClose)
        #expect(verdict([chunked], version: "HTTP/1.0") == .acceptAndClose)
        #expect(verdict([length], status: 204) == .acceptAndClose)
        #expect(verdict([chunked], status: 204) == .acceptAndClose)
        #expect(verdict([("Content-Length", "0")], status: 204) == .accept)
        #expect(verdict([length], status: 304) == .accept)
        #expect(isRefused(verdict([chunked, ("Content-Length", "-3")])))
    }

    @Test(
        arguments: [
            (56, "Malformed encoding found in chunked-encoding", URLError.Code.badServerResponse),
            (56, "Too large response headers: 2 > 1", .dataLengthExceedsMaximum),
            (27, "Out of memory", .dataLengthExceedsMaximum),
            (43, "bad argument", .badServerResponse),
            // Of libcurl 8
            (56, "chunk hex-length char not a hex digit: 0x7a", .badServerResponse),
            (56, "invalid chunk size: '-1'", .badServerResponse),
            (61, "Unsolicited Transfer-Encoding (gzip) found", .badServerResponse),
            (100, "Too large response headers: 2 > 1", .dataLengthExceedsMaximum),
            (100, "A value or data field is larger than allowed", .dataLengthExceedsMaximum),
            (8, "Nul byte in header", nil),
            (56, "Recv failure: Connection reset by peer", nil), (18, "in chunked-encoding", nil),
        ] as [(UInt32, String, URLError.Code?)])
    func `libcurl's vague codes and words are made clear`(
        raw: UInt32, text: String, code: URLError.Code?
    ) throws {
        let result = CurlCode(rawValue: raw)
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let error = HeadRules.error(for: result, CurlError(result, message: text), url: url)
        #expect(error?.code == code)
        #expect(error?.failingURL == (code == nil ? nil : url))
        #expect(error?.localizedDescription.contains("memory") != true)
    }

    @Test
    func `a NUL before a line of a head came is not HTTP`() throws {
        let result = CurlCode(rawValue: 8)
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let reason = CurlError(result, message: "Nul byte in header")
        let error = HeadRules.error(for: result, reason, url: url, isAtStart: true)
        #expect(error?.code == .cannotParseResponse)
    }

    @Test(arguments: ["HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/1.1 000 OK", "HTTP/1.1 099 OK"])
    func `a status code that has not three digits is not HTTP`(line: String) {
        var rules = HeadRules(limit: 1_000)
        let fault = Array((line + "\r\n").utf8).withUnsafeBytes { rules.fault(in: $0) }
        #expect(fault?.code == .cannotParseResponse)
    }

    @Test
    func `a fault's error has its words, and a limit's the limit beneath`() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let plain = ResponseFault("words", .cannotDecodeContentData).urlError(url)
        #expect(plain.code == .cannotDecodeContentData)
        #expect(plain.localizedDescription == "words")
        let limit = ResponseFault(.head, 5).urlError(url)
        #expect(limit.code == .dataLengthExceedsMaximum)
        #expect(limit.failingURL == url)
        #expect(limit.underlyingError as? LoadLimitError == LoadLimitError(.head, 5))
    }
}
