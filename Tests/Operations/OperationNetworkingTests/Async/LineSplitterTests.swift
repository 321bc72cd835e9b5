import TestSupport

@testable import OperationNetworking

@Suite("Lines of bytes", .timeLimit(.minutes(1)))
struct LineSplitterTests {
    static let table: [(text: String, lines: [String])] = [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("\n\r\n\r", ["", "", ""]),
        ("\r\r\n\n", ["", "", ""]),
        ("a\n\nb", ["a", "", "b"]),
        ("é\u{2028}x\u{85}y\r\n", ["é\u{2028}x\u{85}y"]),
    ]

    /// The lines of a text that comes in these pieces.
    static func lines(_ pieces: [Data], limit: Int = 100) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        for piece in pieces {
            splitter.feed(piece)
            while let line = try splitter.next() {
                lines.append(String(decoding: line, as: UTF8.self))
            }
        }
        if let last = splitter.last() { lines.append(String(decoding: last, as: UTF8.self)) }
        return lines
    }

    /// All ways to cut bytes in two or three pieces, and the one into single bytes.
    static func cuts(_ data: Data) -> [[Data]] {
        var all = [[data], data.map { Data([$0]) }]
        for first in 0...data.count {
            for second in first...data.count {
                all.append(
                    [data[..<first], data[first..<second], data[second...]].map { Data($0) })
            }
        }
        return all
    }

    @Test(arguments: table)
    func `the lines are the same at every cut`(text: String, expected: [String]) throws {
        for pieces in Self.cuts(Data(text.utf8)) {
            #expect(try Self.lines(pieces) == expected, "\(pieces.map { Array($0) })")
        }
    }

    @Test func `a line that ends with CR does not wait for the byte after it`() throws {
        var splitter = LineSplitter(limit: 10)
        splitter.feed(Data("a\r".utf8))
        #expect(try splitter.next() == Array("a".utf8))
    }

    @Test func `a line may be as long as the limit, and no longer, at every cut`() throws {
        for pieces in Self.cuts(Data("abcde\nf".utf8)) {
            #expect(try Self.lines(pieces, limit: 5) == ["abcde", "f"])
            #expect(throws: BodyReadingError.tooLong(limit: 4)) {
                try Self.lines(pieces, limit: 4)
            }
        }
    }
}
