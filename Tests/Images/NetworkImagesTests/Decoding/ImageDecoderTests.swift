import DrawnPictures
import Foundation
import Testing

@testable import NetworkImages

@Suite("The decoder", .timeLimit(.minutes(2)))
struct ImageDecoderTests {
    @Test func `the header says size, turn, frames and cost, and nothing is decoded`() throws {
        let decoder = ImageDecoder()
        let turned = try decoder.header(of: Pixels.file("orientation-6.jpg"))
        #expect(turned.format == .jpeg && turned.orientation == .right)
        #expect(turned.pixelSize == PixelSize(width: 100, height: 120))
        #expect(turned.decodedBytes == 2 * 100 * 120 * 4)
        let bar = try decoder.header(of: Pixels.file("bar.gif"))
        #expect(bar.frameCount == 12 && bar.decodedBytes == 2 * 160 * 120 * 4)
    }

    @Test func `a target size is fitted, proportions kept, and nothing is made larger`() throws {
        var decoder = ImageDecoder()
        for name in ["gradient.png", "gradient.jpg", "squares.bmp", "bar.gif", "fading.png"] {
            decoder.targetPixelSize = PixelSize(width: 40, height: 40)
            let small = try decoder.image(from: Pixels.file(name))
            #expect(small.pixelSize == PixelSize(width: 40, height: 30), "\(name)")
            #expect(try small.pixels().count == 40 * 30 * 4)
            decoder.targetPixelSize = PixelSize(width: 4000, height: 4000)
            let full = try decoder.image(from: Pixels.file(name))
            #expect(full.pixelSize == PixelSize(width: 160, height: 120), "\(name)")
        }
    }

    @Test func `the target of a turned picture is of what is shown`() throws {
        var decoder = ImageDecoder()
        decoder.targetPixelSize = PixelSize(width: 50, height: 1000)
        for number in 1...8 {
            let image = try decoder.image(from: Pixels.file("orientation-\(number).jpg"))
            #expect(image.pixelSize == PixelSize(width: 50, height: 60), "\(number)")
            #expect(image.originalPixelSize == PixelSize(width: 100, height: 120), "\(number)")
            #expect(image.with(scale: 2).originalPixelSize == image.originalPixelSize)
        }
    }

    @Test func `pixels are decoded with the image, up to a size, or when asked for`() throws {
        var decoder = ImageDecoder()
        let file = try Pixels.file("gradient.png")
        #expect(try decoder.image(from: file).isInflated)
        decoder.inflates = .upTo(pixels: 160 * 120)
        #expect(try decoder.image(from: file).isInflated)
        decoder.inflates = .upTo(pixels: 160 * 120 - 1)
        let later = try decoder.image(from: file)
        #expect(!later.isInflated)
        #expect(try later.pixels().count == 160 * 120 * 4)
        #expect(later.isInflated)
    }

    @Test func `pixels can be decoded on a thread of the pool`() async throws {
        var decoder = ImageDecoder()
        decoder.inflates = .whenAskedFor
        let image = try decoder.image(from: Pixels.file("gradient.png"))
        try await image.inflate()
        #expect(image.isInflated)
        let damaged = try decoder.image(from: Pixels.file("gradient.png").dropLast(200))
        await #expect(throws: ImageDecodingError.self) { try await damaged.inflate() }
    }

    @Test func `a file that is damaged behind its header fails each time it is asked`() throws {
        var decoder = ImageDecoder()
        let file = try Pixels.file("gradient.png")
        #expect(throws: ImageDecodingError.self) {
            try decoder.image(from: file.dropLast(200))
        }
        decoder.inflates = .whenAskedFor
        let image = try decoder.image(from: file.dropLast(200))
        for _ in 0..<2 {
            let error = #expect(throws: ImageDecodingError.self) { try image.pixels() }
            #expect(error?.reason == .truncated(.png))
        }
        #expect(!image.isInflated)
    }

    @Test func `files may lie anywhere in other data`() throws {
        for picture in try GeneratedPicture.all() {
            let middle = (Data([1, 2, 3]) + picture.data).dropFirst(3)
            let image = try ImageDecoder().image(from: middle)
            #expect(image.pixelSize == picture.pixelSize, "\(picture.name)")
        }
    }

    @Test func `a file that is decoded later costs its bytes where they are more`() throws {
        var decoder = ImageDecoder()
        decoder.inflates = .whenAskedFor
        let file = try Pixels.file("gradient.png")
        let pixels = UInt64(160 * 120 * 4)
        #expect(try decoder.image(from: file).cost == pixels)
        let image = try decoder.image(from: file + Data(count: 200_000))
        #expect(image.cost == UInt64(file.count + 200_000))
        _ = try image.pixels()
        #expect(image.cost == pixels)
    }

    @Test func `sides count in points by the scale, costs in bytes of all frames`() throws {
        var decoder = ImageDecoder()
        decoder.scale = 2
        let file = try Pixels.file("bar.gif")
        let bar = try decoder.image(from: file)
        #expect(bar.width == 80 && bar.height == 60 && bar.pixelWidth == 160)
        #expect(bar.cost == UInt64(160 * 120 * 4 * (12 + 1 + 1) + file.count))
        let same = bar.with(scale: 1)
        #expect(same.width == 160 && same != bar && same.with(scale: 2) == bar)
        #expect(DecodedImage(pixels: Data(count: 15), size: PixelSize(width: 2, height: 2)) == nil)
    }
}
