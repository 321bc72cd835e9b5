import CoreFoundation
import HTTPSemantics
import TestSupport

@testable import CurlConnection

@Suite("Responses that are made when somebody looks", .timeLimit(.minutes(1)))
struct LazyHTTPResponseTests {
    private static func made(
        _ fields: [(String, String)], url: String = "http://localhost/a", isDecoded: Bool = false,
        after latest: LatestResponse
    ) throws -> HTTPURLResponse {
        let head = ResponseHead(
            version: "HTTP/1.1", statusCode: 200,
            fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
        let late = LazyHTTPResponse(
            head: head, url: try #require(URL(string: url)), isDecoded: isDecoded, latest: latest)
        return try #require(late.httpURLResponse)
    }

    @Test func `heads that are alike share one response`() throws {
        let latest = LatestResponse()
        let fields = [("Content-Length", "5"), ("ETag", "a")]
        let first = try Self.made(fields, after: latest)
        #expect(try Self.made(fields, after: latest) === first)
        latest.forget()
        #expect(try Self.made(fields, after: latest) !== first)
    }

    @Test func `the largest head that is accepted becomes a response in time`() throws {
        func seconds() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let heads: [[(String, String)]] = [
            (0..<9_900).map { _ in ("X", "twenty bytes of value") },
            (0..<9_900).map { ("X\($0)", "twenty bytes of value") },
            [("Content-Type", "a/b" + String(repeating: " ", count: 8_180))],
            [("Content-Disposition", String(repeating: "attachment,", count: 740))],
            [
                (
                    "Content-Disposition",
                    "attachment; filename=" + String(repeating: "a/", count: 4_000)
                )
            ],
        ]
        for (place, fields) in heads.enumerated() {
            let start = seconds()
            _ = try Self.made(fields, after: LatestResponse())
            let time = seconds() - start
            #expect(time < 1, "\(place) takes \(time) s")
        }
    }

    @Test func `a long head is not kept`() throws {
        let latest = LatestResponse()
        let fields = [("X", String(repeating: "x", count: 4_096))]
        let first = try Self.made(fields, after: latest)
        #expect(try Self.made(fields, after: latest) !== first)
    }

    @Test(arguments: 0..<5)
    func `a head, a URL or a coding that differs makes another response`(row: Int) throws {
        let latest = LatestResponse()
        let fields = [("Content-Length", "5"), ("Content-Encoding", "gzip")]
        let first = try Self.made(fields, after: latest)
        let other =
            switch row {
            case 0: try Self.made([fields[1], fields[0]], after: latest)
            case 1: try Self.made([("Content-Length", "6"), fields[1]], after: latest)
            case 2: try Self.made(fields, url: "http://localhost/b", after: latest)
            case 3: try Self.made(fields, isDecoded: true, after: latest)
            default: try Self.made([("Content-Lengt", "h5"), fields[1]], after: latest)
            }
        #expect(other !== first)
        #expect(other.url?.path == (row == 2 ? "/b" : "/a"))
        #expect(other.expectedContentLength == [5, 6, 5, -1, -1][row])
    }

    @Test func `fields come back as they were put in, whatever their bytes`() {
        var head = ResponseHead(
            version: "HTTP/1.1", statusCode: 200,
            fields: ["A": "", "B": "größer"])
        Array("C".utf8).withUnsafeBytes { name in
            [UInt8]([0x67, 0xF6]).withUnsafeBytes { head.fields.append(name: name, value: $0) }
        }
        #expect(head.fields.map(\.name) == ["A", "B", "C"])
        #expect(head.fields.map(\.value) == ["", "größer", "gö"])
        #expect(head.value(of: "c") == "gö")
    }
}
