import TestSupport

@testable import OperationNetworking

@Suite("One part of a body", .timeLimit(.minutes(5)))
struct HTTPBodyPartTests {
    private typealias Phase = HTTPBodyPart.Phase
    private let boundary = MultipartBoundary(text: "B")

    @Test func `every phase has one phase after it`() {
        let table: [(Phase, isLast: Bool, Phase)] = [
            (.boundary, false, .headers), (.boundary, true, .headers),
            (.headers, false, .body), (.headers, true, .body),
            (.body, false, .over), (.body, true, .closing),
            (.closing, false, .over), (.closing, true, .over),
            (.over, false, .over), (.over, true, .over),
        ]
        for (phase, isLast, next) in table {
            #expect(phase.next(isLast: isLast) == next, "\(phase), last: \(isLast)")
        }
        #expect(table.count == Phase.allCases.count * 2)
    }

    @Test func `every phase sends its bytes and the last one nothing`() throws {
        let part = try dataPart("v")
        let disposition = "Content-Disposition: form-data; name=\"a\"\r\n\r\n"
        let table: [(Phase, isFirst: Bool, String?)] = [
            (.boundary, true, "--B\r\n"), (.boundary, false, "\r\n--B\r\n"),
            (.headers, true, disposition), (.headers, false, disposition),
            (.body, true, "v"), (.body, false, "v"),
            (.closing, true, "\r\n--B--\r\n"), (.closing, false, "\r\n--B--\r\n"),
            (.over, true, nil), (.over, false, nil),
        ]
        for (phase, isFirst, text) in table {
            let source = try part.source(of: phase, boundary: boundary, isFirst: isFirst)
            #expect(try source.map(text(of:)) == text, "\(phase), first: \(isFirst)")
        }
        #expect(table.count == Phase.allCases.count * 2)
    }

    @Test func `a length is the sum of what the phases send`() throws {
        for text in ["", "v", "\r\n", String(repeating: "x", count: 1_000)] {
            let part = try dataPart(text)
            for isFirst in [true, false] {
                for isLast in [true, false] {
                    let length = part.length(boundary: boundary, isFirst: isFirst, isLast: isLast)
                    #expect(
                        try sent(part, isFirst: isFirst, isLast: isLast).utf8.count
                            == length.map(Int.init))
                }
            }
        }
    }

    @Test func `a length that cannot be counted is none`() throws {
        let part = try streamPart(InputStream(data: Data()), length: .max)
        #expect(part.length(boundary: boundary, isFirst: true, isLast: false) == nil)
    }

    private func text(of source: any PartSource) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 2_048)
        let portion = try buffer.withUnsafeMutableBytes {
            try source.read(into: $0, mayWait: true)
        }
        guard case .bytes(let count) = portion else { return "" }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    private func sent(_ part: HTTPBodyPart, isFirst: Bool, isLast: Bool) throws -> String {
        var phase = Phase.boundary
        var result = ""
        while let source = try part.source(of: phase, boundary: boundary, isFirst: isFirst) {
            result += try text(of: source)
            phase = phase.next(isLast: isLast)
        }
        return result
    }
}
