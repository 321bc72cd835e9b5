import TestSupport

@testable import HTTPSemantics

@Suite("Partial content", .timeLimit(.minutes(5)))
struct PartialContentTests {
    /// An answer and what it means for 100 bytes of 900 with the tag "one".
    struct Row: Sendable, CustomTestStringConvertible {
        enum Verdict: Sendable {
            case append, startOverSame, startOverOther, complete, refuse
        }

        let status: Int
        let fields: [String: String]
        let verdict: Verdict

        init(_ status: Int, _ fields: [String: String], _ verdict: Verdict) {
            (self.status, self.fields, self.verdict) = (status, fields, verdict)
        }

        var testDescription: String {
            "\(status) \(fields.sorted { $0.key < $1.key }.map { "\($0): \($1)" })"
        }
    }

    private static let rest = "bytes 100-899/900"
    private static let one = "\"one\""

    static let rows: [Row] = [
        .init(206, ["Content-Range": rest, "ETag": one], .append),
        .init(206, ["content-range": rest], .append),
        .init(206, ["Content-Range": "bytes 100-899/*", "ETag": one], .append),
        .init(206, ["Content-Range": "bytes 100-499/900", "ETag": one], .append),
        .init(206, ["Content-Range": rest, "ETag": one, "Content-Encoding": "identity"], .append),
        .init(206, ["Content-Range": "bytes 0-899/900", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes 110-899/900", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes 99-899/900", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes 100-950/951", "ETag": one], .refuse),
        .init(206, ["Content-Range": rest, "ETag": "\"two\""], .refuse),
        .init(206, ["Content-Range": rest, "ETag": one, "Content-Encoding": "gzip"], .refuse),
        .init(206, ["ETag": one], .refuse),
        .init(206, ["Content-Range": "items 100-899/900", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes */900", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes 100-899", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes 899-100/900", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes 100-900/900", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes 100-99/900", "ETag": one], .refuse),
        .init(206, ["Content-Range": "bytes 100-899/900, bytes 100-899/900"], .append),
        .init(206, ["Content-Range": "bytes 100-899/900, bytes 200-899/900"], .refuse),
        .init(206, ["Content-Range": "bytes 100-899/900, bytes 100-899/*"], .refuse),
        .init(206, ["Content-Range": "bytes 100-899/900, items 1"], .refuse),
        .init(206, ["Content-Range": "bytes 100-899/"], .refuse),
        .init(206, ["Content-Range": "bytes 100-899/x"], .refuse),
        .init(206, ["Content-Range": "bytes 100--899/900"], .refuse),
        .init(206, ["Content-Range": "bytes +100-899/900"], .refuse),
        .init(206, ["Content-Range": "bytes 100-899/+900"], .refuse),
        .init(206, ["Content-Range": "bytes 100-899/900/900"], .refuse),
        .init(206, ["Content-Range": rest, "Content-Length": "800"], .append),
        .init(206, ["Content-Range": rest, "Content-Length": "799"], .refuse),
        .init(206, ["Content-Range": rest, "Content-Length": "801"], .refuse),
        .init(206, ["Content-Range": "bytes 100-499/900", "Content-Length": "800"], .refuse),
        .init(206, ["Content-Range": "bytes 100-9223372036854775806/*"], .append),
        .init(206, ["Content-Range": "bytes 100-9223372036854775807/*"], .refuse),
        .init(
            206,
            [
                "Content-Range": "bytes 100-9223372036854775806/*",
                "Content-Length": "9223372036854775807",
            ], .refuse),
        .init(416, ["Content-Range": "bytes */100, bytes */900"], .refuse),
        .init(206, ["Content-Type": "multipart/byteranges; boundary=x", "ETag": one], .refuse),
        .init(200, ["Content-Length": "900", "ETag": one], .startOverSame),
        .init(200, ["Content-Length": "901", "ETag": one], .startOverOther),
        .init(200, ["Content-Length": "900", "ETag": "\"two\""], .startOverOther),
        .init(200, ["Content-Length": "900"], .startOverOther),
        .init(200, ["Content-Length": "900", "ETag": "W/\"one\""], .startOverOther),
        .init(200, ["Content-Length": "900", "ETag": one, "Content-Encoding": "br"], .refuse),
        .init(416, ["Content-Range": "bytes */900"], .refuse),
        .init(416, ["Content-Range": "bytes */100"], .refuse),
        .init(416, [:], .refuse),
        .init(404, [:], .refuse), .init(304, ["ETag": one], .refuse), .init(500, [:], .refuse),
        .init(204, ["ETag": one], .refuse),
    ]

    private func response(_ status: Int, _ fields: [String: String]) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://127.0.0.1/file"))
        return try #require(
            HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
    }

    private func verdict(_ answer: PartialContent.Answer) -> Row.Verdict {
        switch answer {
        case .append: .append
        case .startOver(let isSameEntity): isSameEntity ? .startOverSame : .startOverOther
        case .complete: .complete
        case .refuse: .refuse
        }
    }

    @Test(arguments: rows)
    func `an answer is judged by status, offset, length, validator and coding`(row: Row) throws {
        let part = PartialContent(offset: 100, validator: Self.one, totalLength: 900)
        #expect(verdict(part.judge(try response(row.status, row.fields))) == row.verdict)
    }

    @Test
    func `416 with the length that is there means the part is the whole`() throws {
        let answer = try response(416, ["Content-Range": "bytes */900"])
        for known in [nil, Int64(900)] {
            let part = PartialContent(offset: 900, validator: Self.one, totalLength: known)
            #expect(part.judge(answer) == .complete)
        }
        let other = PartialContent(offset: 900, validator: Self.one, totalLength: 1_000)
        #expect(verdict(other.judge(answer)) == .refuse)
        let more = PartialContent(offset: 950, validator: Self.one, totalLength: nil)
        #expect(verdict(more.judge(answer)) == .refuse)
    }

    @Test
    func `416 of another entity that is as long is refused`() throws {
        let part = PartialContent(offset: 900, validator: Self.one, totalLength: 900)
        for (tag, expected) in [(Self.one, Row.Verdict.complete), ("\"two\"", .refuse)] {
            let answer = try response(416, ["Content-Range": "bytes */900", "ETag": tag])
            #expect(verdict(part.judge(answer)) == expected)
        }
        let date = ["Last-Modified": "Mon, 02 Jan 2023 03:04:05 GMT", "ETag": "W/\"page\""]
        let page = date.merging(["Content-Range": "bytes */900"]) { $1 }
        #expect(part.judge(try response(416, page)) == .complete)
    }

    @Test
    func `the complete length is known from before, or from the range`() throws {
        let table: [(Int64?, String, Int64?)] = [
            (900, "bytes 100-199/900", 900), (nil, "bytes 100-199/900", 900),
            (nil, "bytes 100-199/*", 200), (900, "bytes 100-199/*", 900), (nil, "nonsense", nil),
        ]
        for (known, range, whole) in table {
            let part = PartialContent(offset: 100, validator: Self.one, totalLength: known)
            #expect(part.whole(after: try response(206, ["Content-Range": range])) == whole)
        }
    }

    @Test
    func `without a known whole any total fits`() throws {
        let part = PartialContent(offset: 100, validator: Self.one, totalLength: nil)
        let fields = ["Content-Range": "bytes 100-950/951", "ETag": Self.one]
        #expect(part.judge(try response(206, fields)) == .append)
        let whole = try response(200, ["ETag": Self.one])
        #expect(part.judge(whole) == .startOver(isSameEntity: true))
    }

    @Test
    func `by date: the same date continues, another does not`() throws {
        let date = "Mon, 02 Jan 2023 03:04:05 GMT"
        let part = PartialContent(offset: 100, validator: date, totalLength: 900)
        let same = ["Content-Range": Self.rest, "Last-Modified": date]
        #expect(part.judge(try response(206, same)) == .append)
        let other = ["Content-Range": Self.rest, "Last-Modified": "Tue, 03 Jan 2023 03:04:05 GMT"]
        #expect(verdict(part.judge(try response(206, other))) == .refuse)
    }

    @Test
    func `the validator is a strong tag, else the date, else there is none`() throws {
        let date = "Mon, 02 Jan 2023 03:04:05 GMT"
        let table: [([String: String], String?)] = [
            (["ETag": Self.one], Self.one), (["etag": Self.one], Self.one),
            (["ETag": Self.one, "Last-Modified": date], Self.one),
            (["ETag": "W/\"one\"", "Last-Modified": date], date),
            (["ETag": "W/\"one\""], nil), (["ETag": "bare"], "bare"), (["ETag": ""], nil),
            (["Last-Modified": date], date), ([:], nil),
        ]
        for (fields, validator) in table {
            let part = PartialContent(of: try response(200, fields), stored: 7)
            #expect(part?.validator == validator, "\(fields)")
            #expect(part?.offset == (validator == nil ? nil : 7))
        }
    }

    @Test
    func `a part is made from 200 and 206 only, and never from a coded body`() throws {
        for status in [200, 206, 203, 301, 404, 416, 500] {
            let part = PartialContent(of: try response(status, ["ETag": Self.one]), stored: 7)
            #expect((part != nil) == [200, 206].contains(status), "\(status)")
        }
        let coded = ["ETag": Self.one, "Content-Encoding": "gzip"]
        #expect(PartialContent(of: try response(200, coded), stored: 7) == nil)
        let plain = ["ETag": Self.one, "Content-Encoding": "Identity"]
        #expect(PartialContent(of: try response(200, plain), stored: 7) != nil)
        #expect(PartialContent(of: nil, stored: 7) == nil)
        #expect(PartialContent(of: try response(200, ["ETag": Self.one]), stored: -1) == nil)
        #expect(PartialContent(of: try response(200, ["ETag": Self.one]), stored: 0)?.offset == 0)
    }

    @Test
    func `the whole length is that of a 200, or the total of a range, where known`() throws {
        let table: [(Int, [String: String], Int64?)] = [
            (200, ["Content-Length": "900"], 900), (200, [:], nil),
            (206, ["Content-Length": "800", "Content-Range": Self.rest], 900),
            (206, ["Content-Length": "800", "Content-Range": "bytes 100-899/*"], nil),
            (206, ["Content-Length": "800"], nil),
            // A range means nothing in a 200 (RFC 9110 section 14.4).
            (200, ["Content-Length": "900", "Content-Range": "bytes 0-99/100"], 900),
            (200, ["Content-Range": "bytes 0-99/100"], nil),
        ]
        for (status, fields, total) in table {
            let all = fields.merging(["ETag": Self.one]) { $1 }
            let part = PartialContent(of: try response(status, all), stored: 100)
            #expect(part != nil && part?.totalLength == total, "\(status) \(fields)")
        }
    }

    @Test
    func
        `the request for the remaining bytes has the offset and the validator, and is otherwise unchanged`()
        throws
    {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/file")))
        request.setValue("mine", forHTTPHeaderField: "X-Own")
        request.timeoutInterval = 47
        let part = PartialContent(offset: 100, validator: Self.one, totalLength: 900)
        let next = part.request(continuing: request)
        #expect(
            next.allHTTPHeaderFields == [
                "X-Own": "mine", "Range": "bytes=100-", "If-Range": Self.one,
            ])
        #expect(next.url == request.url && next.timeoutInterval == 47)
        let again = PartialContent(offset: 300, validator: "\"two\"", totalLength: nil)
            .request(continuing: next)
        #expect(again.value(forHTTPHeaderField: "Range") == "bytes=300-")
        #expect(again.value(forHTTPHeaderField: "If-Range") == "\"two\"")
    }

    @Test
    func `a part comes back from its coded form`() throws {
        let part = PartialContent(offset: 1 << 40, validator: Self.one, totalLength: nil)
        let data = try JSONEncoder().encode(part)
        #expect(try JSONDecoder().decode(PartialContent.self, from: data) == part)
    }

    @Test
    func `the whole is offset and announced length, and unknown where that is no number`() {
        let most = Int64.max
        for (offset, announced, whole) in [
            (0, 5, 5), (10, 5, 15), (10, -1, -1), (0, most, most), (1, most, -1), (most, 0, most),
            (most, 1, -1), (most, most, -1), (10, most - 10, most), (-1, 5, -1),
            (Int64.min, Int64.min, -1),
        ] as [(Int64, Int64, Int64)] {
            #expect(PartialContent.whole(from: offset, announced: announced) == whole)
        }
    }

    @Test(arguments: UInt64(0)..<4)
    func `no number of a server stops the process`(seed: UInt64) throws {
        var random = WireNumbers(seed: seed)
        for _ in 0..<1_000 {
            let part = PartialContent(
                offset: [0, 1, 10, 100, Int64.max - 1, .max].randomElement(using: &random) ?? 0,
                validator: Self.one,
                totalLength: [nil, 0, 10, 900, .max].randomElement(using: &random) ?? nil)
            let answer = try response(
                [200, 206, 416].randomElement(using: &random) ?? 206, random.fields())
            let judged = part.judge(answer)
            let whole = PartialContent.whole(
                from: part.offset, announced: answer.expectedContentLength)
            #expect(whole >= -1)
            if judged == .append, answer.expectedContentLength >= 0 {
                #expect(whole > part.offset, "\(answer.allHeaderFields)")
            }
            _ = ContentRange(answer)?.isWhole
            _ = PartialContent(of: answer, stored: part.offset)
        }
    }
}

/// Fields with numbers of servers that mean harm, the same for a seed.
struct WireNumbers: RandomNumberGenerator {
    static let numbers = [
        "0", "1", "9", "10", "99", "899", "900", "9223372036854775806", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "1" + String(repeating: "0", count: 40),
        "-1", "-9223372036854775808", "+5", "007", "", " ", "*", "0x10", "1e9", "٣",
    ]
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 2 &+ 1
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }

    mutating func number() -> String { Self.numbers.randomElement(using: &self) ?? "" }

    /// Those of a response that may continue a partial file.
    mutating func fields() -> [String: String] {
        var fields = ["ETag": "\"one\""]
        if Bool.random(using: &self) { fields["Content-Length"] = number() }
        switch Int.random(in: 0..<5, using: &self) {
        case 0: break
        case 1: fields["Content-Range"] = "bytes */" + number()
        case 2: fields["Content-Range"] = "bytes \(number())-\(number())"
        default: fields["Content-Range"] = "bytes \(number())-\(number())/\(number())"
        }
        return fields
    }
}
