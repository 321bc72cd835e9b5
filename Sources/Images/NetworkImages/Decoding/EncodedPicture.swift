import Foundation

/// A file's header and how to decode its pixels. Each format has a type.
protocol EncodedPicture: Sendable {
    var format: ImageFormat { get }
    /// The size in stored orientation.
    var stored: PixelSize { get }
    /// How the stored picture is oriented.
    var orientation: ImageOrientation { get }
    /// The number of pictures in the file: an animation's frames, an icon's sizes.
    var frameCount: Int { get }

    /// The peak memory for decoding in bytes, the result included.
    ///
    /// - Parameter scaled: the requested size, in stored orientation.
    func decodedBytes(scaled: PixelSize) -> Int

    /// The pixels in display orientation, premultiplied and at the requested size.
    ///
    /// - Parameter file: the bytes that the header was read from.
    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer
}

extension EncodedPicture {
    var orientation: ImageOrientation { .up }
    var frameCount: Int { 1 }

    /// The size in display orientation.
    var shown: PixelSize { orientation.size(of: stored) }

    /// The stored size, fitted into a size in display orientation.
    func scaled(toFit target: PixelSize?) -> PixelSize {
        stored.fitting(orientation.isOnItsSide ? target?.turned : target)
    }
}

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
