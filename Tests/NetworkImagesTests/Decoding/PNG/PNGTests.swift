import Foundation
import Testing

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
