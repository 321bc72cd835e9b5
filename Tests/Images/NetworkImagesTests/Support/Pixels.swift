import DrawnPictures
import Foundation

@testable import NetworkImages

/// Pictures for tests.
enum Pixels {
    /// A picture of one color, premultiplied.
    static func plain(
        _ width: Int, _ height: Int, _ color: [UInt8] = [0, 0, 0, 255]
    ) throws -> DecodedImage {
        let pixels = Data((0..<width * height).flatMap { _ in color })
        let size = PixelSize(width: width, height: height)
        guard let image = DecodedImage(pixels: pixels, size: size) else {
            throw CocoaError(.coderInvalidValue)
        }
        return image
    }

    /// A buffer with these bytes.
    static func buffer(_ size: PixelSize, _ bytes: [UInt8]) throws -> PixelBuffer {
        let buffer = try PixelBuffer(size)
        _ = buffer.all.update(from: bytes)
        return buffer
    }

    /// The generated file of a name.
    static func file(_ name: String) throws -> Data {
        guard let picture = try GeneratedPicture.all().first(where: { $0.name == name }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return picture.data
    }
}
