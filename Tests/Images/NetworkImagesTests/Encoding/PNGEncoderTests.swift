import Foundation
import Testing

@testable import DrawnPictures
@testable import NetworkImages

@Suite("Writing PNG", .timeLimit(.minutes(1)))
struct PNGEncoderTests {
    @Test func `what is written is read as the same pixels, with alpha where there is any`() throws
    {
        let drawing = Drawing.fading(PixelSize(width: 31, height: 17))
        let image = try #require(
            DecodedImage(pixels: Data(drawing.premultiplied), size: drawing.size))
        for level in [0, 6, 9, 100] {
            var encoder = PNGEncoder()
            encoder.level = level
            let file = try encoder.data(for: image)
            #expect(file[25] == 6)
            #expect(try ImageDecoder().image(from: file).pixels() == image.pixels())
        }
    }

    @Test func `an opaque picture is written without alpha`() throws {
        let file = try PNGEncoder().data(for: Pixels.plain(5, 3, [10, 20, 30, 255]))
        #expect(file[25] == 2)
        let pixels = try ImageDecoder().image(from: file).pixels()
        #expect(pixels == Data((0..<15).flatMap { _ in [10, 20, 30, 255] as [UInt8] }))
    }
}
