import TestSupport

@testable import OperationNetworking

@Suite("The header lines of a part", .timeLimit(.minutes(5)))
struct PartHeadersTests {
    private func text(_ headers: PartHeaders) -> String {
        String(decoding: headers.lines, as: UTF8.self)
    }

    @Test(arguments: [
        ("a", "a"), ("", ""), ("a\"b", "a%22b"), ("a\rb", "a%0Db"), ("a\nb", "a%0Ab"),
        ("a\r\nX: y", "a%0D%0AX: y"), ("a\\b", "a\\b"), ("a%22b", "a%22b"), ("日本😀", "日本😀"),
        ("e\u{301}", "e\u{301}"), ("a\0b", "a\0b"), ("../../etc/passwd", "../../etc/passwd"),
        ("\"\"", "%22%22"), ("👩‍👩‍👧", "👩‍👩‍👧"),
    ])
    func `names and file names are written as browsers write them`(
        name: String, written: String
    ) throws {
        #expect(
            text(try PartHeaders(name: name))
                == "Content-Disposition: form-data; name=\"\(written)\"\r\n\r\n")
        let file = text(try PartHeaders(name: "f", fileName: name, mimeType: "a/b"))
        #expect(
            file == "Content-Disposition: form-data; name=\"f\"; filename=\"\(written)\"\r\n"
                + "Content-Type: a/b\r\n\r\n")
    }

    @Test func `every control character but the tab is refused in a value`() {
        for byte in UInt8(0)...0x7F {
            let value = "a" + String(UnicodeScalar(byte)) + "b"
            let isRefused = (byte < 0x20 && byte != 9) || byte == 0x7F
            #expect(
                refusal { try PartHeaders(name: "f", fileName: "n", mimeType: value) } == isRefused)
            #expect(refusal { try PartHeaders(["X": value]) } == isRefused)
        }
    }

    @Test func `a header name is a token`() {
        let tokens = Set(
            "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8(0)...0x7F {
            let name = "X" + String(UnicodeScalar(byte))
            #expect(refusal { try PartHeaders([name: "v"]) } == !tokens.contains(byte))
        }
        #expect(refusal { try PartHeaders(["": "v"]) })
        #expect(refusal { try PartHeaders(["é": "v"]) })
    }

    @Test func `a value beyond ASCII goes as UTF-8 and an empty one is kept`() throws {
        #expect(text(try PartHeaders(["X": "é中"])) == "X: é中\r\n\r\n")
        #expect(text(try PartHeaders(["X": ""])) == "X: \r\n\r\n")
        #expect(text(try PartHeaders([:])) == "\r\n")
    }

    @Test func `disposition and type come first and the rest by name`() throws {
        let fields = [
            "B": "4", "A": "3", "content-type": "2", "Content-Disposition": "1", "a": "5",
        ]
        #expect(
            text(try PartHeaders(fields))
                == "Content-Disposition: 1\r\ncontent-type: 2\r\nA: 3\r\nB: 4\r\na: 5\r\n\r\n")
    }

    private func refusal(_ make: () throws -> PartHeaders) -> Bool {
        do {
            _ = try make()
            return false
        } catch let error as MultipartError {
            return error.reason == .refusedHeader
        } catch {
            return false
        }
    }
}
