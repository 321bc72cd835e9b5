import TestSupport

@testable import NetworkImages

/// GIFs that do not end as they should.
@Suite("Ends of GIFs", .timeLimit(.minutes(1)))
struct GIFEndTests {
    /// Two by two pixels, a frame, and no end mark.
    private static let minimal = "R0lGODlhAgACAIEAAP8AAAD/AAAA/////ywAAAAAAgACAAACBARDcQUA"

    private static func frame(_ number: Int, of file: some Collection<UInt8>) throws -> Data {
        let image = try ImageDecoder().image(from: Data(file))
        return try (image.animation?.frame(at: number) ?? image).pixels()
    }

    @Test func `a frame that is whole is shown without the end mark, and without its own end`()
        throws
    {
        let file = try #require(Data(base64Encoded: Self.minimal))
        let pixels = try Self.frame(0, of: file + [0x3B])
        for other in [file, file.dropLast(), file + [0], file + [0x21], file + [0x21, 0xFE, 3, 1]] {
            #expect(try Self.frame(0, of: other) == pixels, "\(Array(other.suffix(4)))")
        }
    }

    @Test func `what is no block behind a frame is the end, and an error before any`() throws {
        let file = try #require(Data(base64Encoded: Self.minimal))
        let pixels = try Self.frame(0, of: file + [0x3B])
        for garbage in [[0x42], [0xFF, 0x2C], [0x3B, 1, 2, 3]] as [[UInt8]] {
            #expect(try Self.frame(0, of: file + garbage) == pixels)
        }
        let frame = try #require(file.firstIndex(of: 0x2C))
        var early = file
        early.insert(0x42, at: frame)
        #expect(throws: ImageDecodingError.self) { try Self.frame(0, of: early) }
    }

    @Test func `a frame whose pixels are cut is an error, also as the only one`() throws {
        let file = try #require(Data(base64Encoded: Self.minimal))
        for count in 13..<file.count - 2 {
            #expect(throws: ImageDecodingError(.truncated(.gif))) {
                try Self.frame(0, of: file.prefix(count))
            }
        }
    }

    @Test
    func `of an animation that is cut the whole frames are shown, and the cut one is an error`()
        throws
    {
        let file = try Pixels.file("bar.gif")
        let starts = file.ranges(of: Data([0x21, 0xF9, 4, 4])).map(\.lowerBound)
        try #require(starts.count == 12)
        for number in [1, 5, 11] {
            let end = number == 11 ? file.count - 1 : starts[number + 1]
            let cut = file.prefix((starts[number] + 8 + 10 + end) / 2)
            let image = try ImageDecoder().image(from: cut)
            #expect(image.frameCount == number + 1)
            let animation = try #require(image.animation)
            for whole in 0..<number {
                #expect(
                    try animation.frame(at: whole).pixels() == Self.frame(whole, of: file))
            }
            #expect(throws: ImageDecodingError(.truncated(.gif))) {
                try animation.frame(at: number)
            }
        }
        #expect(try Self.frame(11, of: file.dropLast()) == Self.frame(11, of: file))
        #expect(try ImageDecoder().image(from: file.prefix(starts[4])).frameCount == 4)
    }
}
