import TestSupport

@testable import DrawnPictures
@testable import NetworkImages

@Suite("Images made smaller", .timeLimit(.minutes(2)))
struct FittingTests {
    private static let names = [
        "gradient.png", "fading.png", "gradient.jpg", "squares.bmp", "bar.gif",
        "orientation-6.jpg", "orientation-3.jpg", "icon.ico",
    ]
    private static let size = PixelSize(width: 40, height: 25)

    private static func decoder(_ inflates: ImageDecoder.Inflation) -> ImageDecoder {
        var decoder = ImageDecoder()
        decoder.inflates = inflates
        return decoder
    }

    @Test(arguments: names)
    func `pixels that were not needed yet are decoded at the new size, and never in full`(
        _ name: String
    ) throws {
        let file = try Pixels.file(name)
        let full = try Self.decoder(.whenAskedFor).image(from: file).with(scale: 2)
        let small = try full.fitting(Self.size)
        #expect(!full.isInflated && small.isInflated)
        #expect(small.scale == 2 && small.format == full.format)
        #expect(small.originalPixelSize == full.pixelSize)
        var decoder = ImageDecoder()
        decoder.targetPixelSize = Self.size
        let expected = try decoder.image(from: file)
        #expect(small.pixelSize == expected.pixelSize && small.pixelSize != full.pixelSize)
        #expect(try small.pixels() == expected.pixels())
    }

    @Test(arguments: names)
    func `decoded pixels are made smaller by their means`(_ name: String) throws {
        let file = try Pixels.file(name)
        let full = try Self.decoder(.always).image(from: file)
        let small = try full.fitting(Self.size)
        var decoder = ImageDecoder()
        decoder.targetPixelSize = Self.size
        let expected = try decoder.image(from: file)
        #expect(small.pixelSize == expected.pixelSize)
        #expect(small.originalPixelSize == full.pixelSize)
        // A JPEG is made smaller before it is whole, which is not the same to the last bit.
        let most = full.format == .jpeg ? 6 : 0
        let (mine, theirs) = try (small.pixels(), expected.pixels())
        let apart = zip(mine, theirs).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(mine.count == theirs.count && apart <= most * mine.count)
    }

    @Test func `nothing is made larger, and a size that fits is the same image`() throws {
        let image = try Self.decoder(.whenAskedFor).image(from: Pixels.file("gradient.png"))
        #expect(try image.fitting(PixelSize(width: 160, height: 120)) == image)
        #expect(try image.fitting(PixelSize(width: 4000, height: 4000)) == image)
        #expect(!image.isInflated)
        let least = try image.fitting(PixelSize(width: 0, height: -1))
        #expect(least.pixelSize == PixelSize(width: 1, height: 1))
    }

    @Test(arguments: [ImageDecoder.Inflation.always, .whenAskedFor])
    func `an animation keeps its frames, and its cost counts the full canvas they are drawn on`(
        _ inflates: ImageDecoder.Inflation
    ) throws {
        let bar = try Self.decoder(inflates).image(from: Pixels.file("bar.gif"))
        let small = try bar.fitting(PixelSize(width: 80, height: 80))
        let animation = try #require(small.animation)
        #expect(animation.frameCount == 12)
        let frame = try animation.frame(at: 7)
        #expect(frame.pixelSize == PixelSize(width: 80, height: 60))
        #expect(frame.originalPixelSize == PixelSize(width: 160, height: 120))
        let file = try Pixels.file("bar.gif").count
        #expect(small.cost == UInt64(80 * 60 * 4 * (12 + 1) + 160 * 120 * 4 + file))
        #expect(bar.cost == UInt64(160 * 120 * 4 * (12 + 1 + 1) + file))
    }

    @Test func `the limits of the decoder count for the new size too`() throws {
        let size = PixelSize(width: 160, height: 120)
        let frame = [UInt8](repeating: 1, count: 160 * 120)
        let encoder = GIFEncoder(palette: [(0, 0, 0), (255, 255, 255)], delay: 10)
        var decoder = Self.decoder(.whenAskedFor)
        // Room for the canvas alone, and not for what is made of it.
        decoder.limits.maximumDecodedBytes = 160 * 120 * 4
        let image = try decoder.image(from: encoder.data(for: [frame], size))
        #expect(throws: ImageLimitError.self) { try image.fitting(Self.size) }
        #expect(try image.pixels().count == 160 * 120 * 4)
    }

    @Test func `what is damaged behind its header is an error at any size`() throws {
        let file = try Pixels.file("gradient.png").dropLast(200)
        let image = try Self.decoder(.whenAskedFor).image(from: file)
        for _ in 0..<2 {
            #expect(throws: ImageDecodingError.self) { try image.fitting(Self.size) }
        }
        #expect(throws: ImageDecodingError.self) { try image.pixels() }
        #expect(throws: ImageDecodingError.self) { try image.fitting(Self.size) }
    }
}
