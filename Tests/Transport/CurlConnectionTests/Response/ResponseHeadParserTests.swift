import HTTPSemantics
import TestSupport

@testable import CurlConnection

@Suite("Header lines", .timeLimit(.minutes(5)))
struct ResponseHeadParserTests {
    private let url = URL(fileURLWithPath: "/")

    /// The heads that complete while lines are taken, and the trailers after them.
    private func parse(_ lines: [String]) -> (
        heads: [ResponseHead], trailers: HTTPSemantics.HeaderFields
    ) {
        parse(lines.map { Array($0.utf8) })
    }

    private func parse(_ lines: [[UInt8]]) -> (
        heads: [ResponseHead], trailers: HTTPSemantics.HeaderFields
    ) {
        var parser = ResponseHeadParser()
        let heads = lines.compactMap { line in
            (line + [13, 10]).withUnsafeBytes { parser.take($0) }
        }
        return (heads, parser.trailers)
    }

    private func head(_ lines: [String]) throws -> ResponseHead {
        try #require(parse(lines + [""]).heads.first)
    }

    @Test func `a head is complete at the empty line`() throws {
        let (heads, trailers) = parse(["HTTP/1.1 404 Not Found", "A: 1", "B:2", "C:   3  ", ""])
        let head = try #require(heads.first)
        #expect(heads.count == 1)
        #expect(head.version == "HTTP/1.1")
        #expect(head.statusCode == 404)
        #expect(head.fields.map(\.name) == ["A", "B", "C"])
        #expect(head.fields.map(\.value) == ["1", "2", "3"])
        #expect(trailers.isEmpty)
    }

    @Test func `a name is found in either case of ASCII, and by no other letter`() throws {
        let head = try head(["HTTP/1.1 200 OK", "ETag[: 1", "X-\u{212A}eep: 2", "x-A: 3", "X-a: 4"])
        #expect(head.value(of: "etag[") == "1")
        #expect(head.value(of: "etag{") == nil)
        #expect(head.value(of: "X-Keep") == nil)
        #expect(head.values(of: "X-A") == ["3", "4"])
    }

    @Test func `a bare line feed ends a line too`() throws {
        var parser = ResponseHeadParser()
        let heads = ["HTTP/1.1 200 OK\n", "A: 1\n", "\n"].compactMap { line in
            Array(line.utf8).withUnsafeBytes { parser.take($0) }
        }
        #expect(heads.first?.value(of: "A") == "1")
    }

    @Test func `interim heads are forgotten with their fields`() {
        let (heads, _) = parse([
            "HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Link: </a>", "",
            "HTTP/1.1 200 OK", "A: 1", "",
        ])
        #expect(heads.count == 1)
        #expect(heads.first?.statusCode == 200)
        #expect(heads.first?.fields == ["A": "1"])
    }

    @Test func `101 is final`() {
        let (heads, _) = parse(["HTTP/1.1 101 Switching Protocols", "Upgrade: x", ""])
        #expect(heads.first?.statusCode == 101)
    }

    @Test(arguments: [
        ("HTTP/1.1 200", "HTTP/1.1", 200), ("HTTP/1.1 200 ", "HTTP/1.1", 200),
        ("HTTP/1.0 200 OK", "HTTP/1.0", 200), ("HTTP/2 204 ", "HTTP/2", 204),
        ("HTTP/2 204", "HTTP/2", 204), ("HTTP/3 500", "HTTP/3", 500),
        ("HTTP/1.1 299 Much text: with colon", "HTTP/1.1", 299), ("HTTP/1.1 abc", "HTTP/1.1", 0),
        ("HTTP/1.1", "HTTP/1.1", 0),
    ])
    func `a status line may lack its reason`(line: String, version: String, status: Int) throws {
        let head = try head([line])
        #expect(head.version == version)
        #expect(head.statusCode == status)
    }

    @Test func `a folded line continues the value before it`() throws {
        let head = try head(["HTTP/1.1 200 OK", "A: one", "  two", "\tthree  ", "B: 1"])
        #expect(head.value(of: "A") == "one two three")
        #expect(head.value(of: "B") == "1")
    }

    @Test func `a folded line with no field before it is ignored`() throws {
        let head = try head(["HTTP/1.1 200 OK", "  stray", "A: 1"])
        #expect(head.fields == ["A": "1"])
    }

    @Test func `lines that are no fields are ignored`() throws {
        let head = try head(["HTTP/1.1 200 OK", "no colon", ": no name", "A: 1"])
        #expect(head.fields == ["A": "1"])
    }

    @Test func `trailers stay apart from the head`() {
        let (heads, trailers) = parse(["HTTP/1.1 200 OK", "A: 1", "", "A: 2", "Checksum: x", ""])
        #expect(heads.count == 1)
        #expect(heads.first?.fields.count == 1)
        #expect(trailers.map(\.name) == ["A", "Checksum"])
    }

    @Test func `bytes that are not UTF-8 are read as Latin-1`() {
        let status = Array("HTTP/1.1 200 OK".utf8)
        let latin = Array("A: caf".utf8) + [0xE9]
        let heads = parse([status, latin, Array("B: café".utf8), []]).heads
        #expect(heads.first?.value(of: "A") == "café")
        #expect(heads.first?.value(of: "B") == "café")
    }

    @Test func `a value may begin with a mark that joins what is before it`() throws {
        let head = try head(["HTTP/1.1 200 OK", "A:\u{301}x", "B: \u{301}y"])
        #expect(head.fields.map(\.name) == ["A", "B"])
        #expect(head.value(of: "A") == "\u{301}x")
        #expect(head.value(of: "B") == "\u{301}y")
    }

    @Test func `a field is found whatever its case`() throws {
        let head = try head(["HTTP/1.1 200 OK", "cOntEnt-tYpe: a/b"])
        #expect(head.value(of: "Content-Type") == "a/b")
        #expect(head.value(of: "Content-Typ") == nil)
    }

    @Test func `fields of one name are joined in their order`() throws {
        let head = try head(["HTTP/1.1 200 OK", "Via: a", "vIA: b", "X: 1", "VIA: c"])
        let response = try #require(head.response(for: url, isDecoded: true))
        #expect(response.value(forHTTPHeaderField: "Via") == "a, b, c")
        #expect(response.allHeaderFields.count == 2)
    }

    @Test func `a decoded body has no expected length, any other has its own`() throws {
        let coded = try head([
            "HTTP/1.1 200 OK", "Content-Length: 10", "Content-Encoding: gzip",
        ])
        let plain = try head(["HTTP/1.1 200 OK", "Content-Length: 10"])
        let identity = try head([
            "HTTP/1.1 200 OK", "Content-Length: 10", "Content-Encoding: identity",
        ])
        #expect(coded.response(for: url, isDecoded: true)?.expectedContentLength == -1)
        #expect(coded.response(for: url, isDecoded: false)?.expectedContentLength == 10)
        #expect(plain.response(for: url, isDecoded: true)?.expectedContentLength == 10)
        #expect(identity.response(for: url, isDecoded: true)?.expectedContentLength == 10)
        #expect(
            coded.response(for: url, isDecoded: true)?.value(forHTTPHeaderField: "Content-Length")
                == "10")
    }

    @Test func `any bytes at all are survived`() {
        var seed = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let lines = (0..<Int.random(in: 1...8, using: &seed)).map { _ in
                (0..<Int.random(in: 0...20, using: &seed)).map { _ in
                    [UInt8](arrayLiteral: 9, 13, 10, 32, 58, 65, 0, 0xC3, 0xFF, 0xCC)
                        .randomElement(using: &seed) ?? 0
                }
            }
            let heads = parse([Array("HTTP/1.1 200 OK".utf8)] + lines + [[]]).heads
            #expect(!heads.isEmpty, "\(lines)")
        }
    }
}
