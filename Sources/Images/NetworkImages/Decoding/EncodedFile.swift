import Foundation

/// A file whose header was read, and the memory that decoding may take.
struct EncodedFile: Sendable {
    let picture: any EncodedPicture
    /// The bytes that the header was read from.
    let bytes: Data
    let limits: ImageLimits

    /// The picture at a size; its pixels are decoded on demand.
    ///
    /// - Parameter scaled: the size in stored orientation.
    /// - Throws: where decoding at that size would exceed a limit.
    func image(scaled: PixelSize, scale: Double) throws(ImageLimitError) -> DecodedImage {
        try limits.check(decodedBytes: picture.decodedBytes(scaled: scaled))
        return DecodedImage(
            pixelSize: picture.orientation.size(of: scaled), originalPixelSize: picture.shown,
            scale: scale, format: picture.format,
            animation: AnimatedImage(self, scaled: scaled, scale: scale),
            content: PixelContent(self, scaled: scaled))
    }

    /// The pixels at a size, decoded once there is memory for them.
    func pixels(scaled: PixelSize) throws -> Data {
        try DecodingBudget.shared.perform(taking: picture.decodedBytes(scaled: scaled)) {
            try picture.pixels(of: bytes, scaled: scaled).data()
        }
    }
}
