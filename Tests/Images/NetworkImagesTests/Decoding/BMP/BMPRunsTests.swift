import TestSupport

@testable import NetworkImages

@Suite("Run-length codes of a BMP", .timeLimit(.minutes(2)))
struct BMPRunsTests {
    /// A BMP of 3 x 2 pixels, 8 bits and the grays 0, 10, 20 and 30.
    private static func file(_ codes: [UInt8]) -> Data {
        func words(_ numbers: Int...) -> [UInt8] {
            numbers.flatMap { number in (0..<4).map { UInt8(number >> ($0 * 8) & 255) } }
        }
        let start = 14 + 40 + 4 * 4
        var file = Data("BM".utf8) + words(start + codes.count, 0, start)
        file += words(40, 3, 2) + [1, 0, 8, 0] + words(1, codes.count, 0, 0, 4, 0)
        for gray in [UInt8(0), 10, 20, 30] { file += [gray, gray, gray, 0] }
        return file + codes
    }

    /// The grays, row by row.
    private static func grays(_ codes: [UInt8]) throws -> [UInt8] {
        let pixels = try ImageDecoder().image(from: file(codes)).pixels()
        return stride(from: 0, to: pixels.count, by: 4).map { pixels[pixels.startIndex + $0] }
    }

    @Test func `runs and literals that go past the row's end are cut there`() throws {
        // The lowest row comes first.
        let run = try Self.grays([1, 1, 255, 2, 255, 3, 0, 0, 3, 3, 0, 1])
        #expect(run == [30, 30, 30, 10, 20, 20])
        let literal = try Self.grays([2, 1, 0, 4, 2, 3, 3, 3, 0, 0, 0, 3, 3, 2, 1, 0, 0, 1])
        #expect(literal == [30, 20, 10, 10, 10, 20])
    }

    @Test(arguments: [[], [0], [0, 0], [0, 0, 0], [1, 1, 1]] as [[UInt8]])
    func `a whole picture needs no end mark, whatever the number of bytes behind it`(
        _ rest: [UInt8]
    ) throws {
        #expect(try Self.grays([3, 1, 0, 0, 3, 2] + rest) == [20, 20, 20, 10, 10, 10])
    }

    @Test func `half a code before the last row is whole is an error`() {
        for codes in [[3, 1, 0, 0, 2, 2, 1], [3, 1, 0]] as [[UInt8]] {
            let error = #expect(throws: ImageDecodingError.self) { try Self.grays(codes) }
            #expect(error?.reason == .truncated(.bmp))
        }
    }

    @Test func `a literal whose bytes are not all there is an error, also behind the row's end`() {
        for codes in [[3, 1, 0, 4, 1, 1, 1], [3, 1, 0, 0, 3, 1, 0, 5, 1]] as [[UInt8]] {
            let error = #expect(throws: ImageDecodingError.self) { try Self.grays(codes) }
            #expect(error?.reason == .truncated(.bmp))
        }
    }
}
