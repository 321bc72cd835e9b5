import Foundation
import FoundationNetworking
import Testing

@testable import CurlConnection

@Suite("Responses that are made when somebody looks", .timeLimit(.minutes(1)))
struct LateResponseTests {
    private typealias Field = ResponseHead.Field

    private static let lengths: [[(String, String)]] = [
        [], [("Content-Length", "5")], [("content-length", "5")], [("Content-Length", "0")],
        [("Content-Length", "5"), ("Content-Length", "5")], [("Content-Length", "five")],
        [("Content-Length", "5"), ("Content-Encoding", "gzip")],
        [("Content-Length", "5"), ("Content-Encoding", "identity")],
    ]

    @Test("The expected length is that of the object", arguments: lengths.indices, [true, false])
    func length(index: Int, isDecoded: Bool) throws {
        let url = try #require(URL(string: "http://localhost/a"))
        let head = ResponseHead(
            version: "HTTP/1.1", statusCode: 200,
            fields: Self.lengths[index].map { Field(name: $0.0, value: $0.1) })
        let late = LateResponse(head: head, url: url, isDecoded: isDecoded)
        let made = try #require(late.made())
        #expect(late.expectedContentLength == made.expectedContentLength)
        #expect(late.statusCode == made.statusCode)
    }

    @Test func `fields come back as they were put in, whatever their bytes`() {
        var head = ResponseHead(
            version: "HTTP/1.1", statusCode: 200,
            fields: [Field(name: "A", value: ""), Field(name: "B", value: "größer")])
        head.append(name: "C".utf8, value: [0x67, 0xF6])
        #expect(head.fields.map(\.name) == ["A", "B", "C"])
        #expect(head.fields.map(\.value) == ["", "größer", "gö"])
        #expect(head.value(of: "c") == "gö")
    }
}
