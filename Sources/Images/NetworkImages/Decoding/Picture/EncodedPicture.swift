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
