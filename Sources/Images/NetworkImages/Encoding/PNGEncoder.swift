import CPNG
public import Foundation

/// Writes pictures as PNG with libpng.
public struct PNGEncoder: Sendable {
    /// zlib's compression level, 0 to 9.
    public var level = 6

    /// An encoder with the settings named at each property.
    public init() {}

    /// The first picture as a file of 8 bits a color; without alpha where each pixel is opaque.
    ///
    /// - Throws: `ImageDecodingError`: the error of decoding the pixels, or `outOfMemory`.
    public func data(for image: DecodedImage) throws -> Data {
        let pixels = try image.pixels()
        return try pixels.withUnsafeBytes { bytes in
            let isOpaque = stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 }
            return try data(for: Self.plain(bytes, isOpaque), image.pixelSize, hasAlpha: !isOpaque)
        }
    }

    /// Rows of R G B, or of R G B A with the premultiplication undone.
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
