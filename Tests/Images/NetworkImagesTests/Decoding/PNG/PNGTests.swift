import TestSupport

@testable import NetworkImages

@Suite("PNG", .timeLimit(.minutes(2)))
struct PNGTests {
    /// A picture that was read from one header and is decoded from another.
    @Test func `headers that contradict each other are refused before a row is written`() throws {
        let small = try PNGEncoder().data(for: Pixels.plain(4, 4))
        let large = try PNGEncoder().data(for: Pixels.plain(40, 4))
        let picture = try small.withUnsafeBytes { try PNGPicture(ByteView($0, .png), .init()) }
        #expect(throws: ImageDecodingError.self) {
            try picture.pixels(of: large, scaled: picture.stored)
        }
    }

    @Test func `a wrong checksum of image data is an error, one of a text is passed over`() throws {
        let file = try Array(PNGEncoder().data(for: Pixels.plain(4, 4)))
        var broken = file
        broken[broken.count - 14] ^= 1
        #expect(throws: ImageDecodingError.self) {
            try ImageDecoder().image(from: Data(broken))
        }
        var withText = file
        withText.insert(contentsOf: [0, 0, 0, 3] + Array("tEXta\0b".utf8) + [9, 9, 9, 9], at: 33)
        #expect(try ImageDecoder().image(from: Data(withText)).pixelWidth == 4)
    }

    @Test func `rows that are all there are shown, whatever follows or is missing behind them`()
        throws
    {
        for file in try [
            Array(PNGEncoder().data(for: Pixels.plain(4, 4))), Array(Pixels.file("gradient.png")),
        ] {
            let expected = try ImageDecoder().image(from: Data(file)).pixels()
            let start = file.dropLast(12)
            let ends: [[UInt8]] = [
                [], [0], [0, 0, 0], [0, 0, 0, 0, 0x49, 0x45], Array(file.suffix(12).dropLast()),
                [0, 0, 0, 0] + Array("IEND".utf8) + [1, 2, 3, 4],
                Array(file.suffix(12)) + [1, 2, 3],
                [0, 0, 0, 1] + Array("ABCD".utf8) + [9, 0, 0, 0, 0],
                [0x7F, 0xFF, 0xFF, 0xFF] + Array("tEXt".utf8), Array("garbage, garbage".utf8),
            ]
            for end in ends {
                let image = try ImageDecoder().image(from: Data(start + end))
                #expect(try image.pixels() == expected, "\(end)")
            }
        }
    }

    @Test func `a row that is missing is still an error`() throws {
        let file = try Array(Pixels.file("gradient.png"))
        for count in stride(from: 60, to: file.count - 200, by: 97) {
            #expect(throws: ImageDecodingError(.truncated(.png))) {
                try ImageDecoder().image(from: Data(file.prefix(count)))
            }
        }
    }

    @Test func `profiles and other chunks beside the image that are broken are passed over`() throws
    {
        let file = try Array(PNGEncoder().data(for: Pixels.plain(4, 4)))
        let expected = try ImageDecoder().image(from: Data(file)).pixels()
        for name in ["iCCP", "sRGB", "gAMA", "cHRM", "pHYs", "tIME", "bKGD", "zTXt", "abCd"] {
            for (bytes, hasSum) in [([1, 2, 3], true), ([1, 2, 3], false), ([], true)]
                as [([UInt8], Bool)]
            {
                var other = file
                other.insert(
                    contentsOf: [0, 0, 0, UInt8(bytes.count)] + Array(name.utf8) + bytes + [
                        9, 9, 9, 9,
                    ],
                    at: 33)
                let data = Data(hasSum ? Checksums.repaired(other) : other)
                #expect(try ImageDecoder().image(from: data).pixels() == expected, "\(name)")
            }
        }
    }

    @Test func `eXIf turns a picture, before or behind its data`() throws {
        let file = try Array(PNGEncoder().data(for: Pixels.plain(4, 2)))
        let tiff =
            Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        let chunk = [0, 0, 0, UInt8(tiff.count)] + Array("eXIf".utf8) + tiff + [0, 0, 0, 0]
        for place in [33, file.count - 12] {
            var turned = file
            turned.insert(contentsOf: chunk, at: place)
            let image = try ImageDecoder().image(from: Data(Checksums.repaired(turned)))
            #expect(image.pixelSize == PixelSize(width: 2, height: 4))
        }
    }
}
