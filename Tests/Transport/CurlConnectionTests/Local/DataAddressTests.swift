import TestSupport

@testable import CurlConnection

@Suite("data: addresses", .timeLimit(.minutes(1)))
struct DataAddressTests {
    private func read(_ text: String) throws -> DataAddress? {
        DataAddress(try #require(URL(string: text)))
    }

    @Test(arguments: [
        ("data:,A%20brief%20note", "text/plain", "US-ASCII", "A brief note"),
        ("data:text/plain;charset=utf-8,gr%C3%BC%C3%9Fe", "text/plain", "utf-8", "grüße"),
        ("data:;charset=utf-8,x", "text/plain", "utf-8", "x"),
        ("data:text/html;charset=%22iso-8859-1%22;x=y,a%2Cb", "text/html", "\"iso-8859-1\"", "a,b"),
        ("DATA:TEXT/HTML;BASE64,aGk=", "text/html", nil, "hi"),
        ("data:;base64,aGVsbG8", "text/plain", "US-ASCII", "hello"),
        ("data:application/json,%7B%22a%22:1%7D#fragment", "application/json", nil, "{\"a\":1}"),
        ("data:text/plain,a;base64,b", "text/plain", nil, "a;base64,b"),
        ("data:,", "text/plain", "US-ASCII", ""),
        ("data:image/svg+xml;base64,PHN2Zy8%2B", "image/svg+xml", nil, "<svg/>"),
    ])
    func `its type, charset and bytes are those of RFC 2397`(
        text: String, type: String, charset: String?, body: String
    ) throws {
        let address = try #require(try read(text))
        #expect(address.mimeType == type)
        #expect(address.charset == charset)
        #expect(String(decoding: address.data, as: UTF8.self) == body)
    }

    @Test(arguments: [
        "data:", "data:text/plain", "data:text/plain;base64", "data:text,x", "data:text/,x",
        "data:/plain,x", "data:te%20xt/plain,x", "data:;base64,a", "data:;base64,a=b",
        "data:;base64,%FF%FE", "data:text/a/b,x", "data:#,x", "http:,x",
    ])
    func `what does not follow it is none`(text: String) throws {
        #expect(try read(text) == nil)
    }

    @Test func `all bytes come as they were`() throws {
        let bytes = Data((0...255).map { UInt8($0) })
        let escaped = bytes.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(try read("data:a/b,\(escaped)")?.data == bytes)
        #expect(try read("data:a/b;base64,\(bytes.base64EncodedString())")?.data == bytes)
    }

    @Test func `addresses that were broken anywhere stop nothing`() throws {
        var numbers = SeededNumbers(seed: 2397)
        let whole = Array("data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQ%3D#x".utf8)
        for _ in 0..<5_000 {
            var text = whole
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let index = Int.random(in: 0..<text.count, using: &numbers)
                text[index] = UInt8.random(in: 0x21...0x7E, using: &numbers)
            }
            text.removeLast(Int.random(in: 0..<text.count / 2, using: &numbers))
            if let url = URL(string: String(decoding: text, as: UTF8.self)) { _ = DataAddress(url) }
        }
    }
}
