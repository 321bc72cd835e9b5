import CPNG
public import Foundation

/// Encodes images as PNG, with libpng.
public struct PNGEncoder: Sendable {
    /// zlib's compression level, 0 to 9.
    public var level = 6

    /// Makes an encoder with the default of each property.
    public init() {}

    /// Returns a PNG file of the image, or of its first frame, with 8 bits for each color. It has an alpha channel only if
    /// some pixels are not opaque.
    ///
    /// - Throws: an `ImageDecodingError` if the pixels cannot be decoded or memory is short.
    public func data(for image: DecodedImage) throws -> Data {
        let pixels = try image.pixels()
        return try pixels.withUnsafeBytes { bytes in
            let isOpaque = stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 }
            return try data(for: Self.plain(bytes, isOpaque), image.pixelSize, hasAlpha: !isOpaque)
        }
    }

    /// Rows of R G B, or of R G B A without premultiplied alpha.
    private static func plain(_ pixels: UnsafeRawBufferPointer, _ isOpaque: Bool) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(pixels.count / 4 * (isOpaque ? 3 : 4))
        for pixel in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = pixels[pixel + 3]
            for color in pixel..<pixel + 3 {
                plain.append(
                    isOpaque ? pixels[color] : Premultiplication.undone(pixels[color], alpha: alpha)
                )
            }
            if !isOpaque { plain.append(alpha) }
        }
        return plain
    }

    private func data(for pixels: [UInt8], _ size: PixelSize, hasAlpha: Bool) throws -> Data {
        var count = 0
        let file = cpng_write(
            pixels, UInt32(size.width), UInt32(size.height), hasAlpha,
            Int32(min(9, max(0, level))), &count)
        guard let file else { throw ImageDecodingError(.outOfMemory(size.bytes)) }
        return Data(bytesNoCopy: file, count: count, deallocator: .free)
    }
}
