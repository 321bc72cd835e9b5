import Foundation

/// What a file's header says, and how its pixels are had. Each format has one.
protocol EncodedPicture: Sendable {
    var format: ImageFormat { get }
    /// The size as it is stored.
    var stored: PixelSize { get }
    /// How the stored picture is turned before it is shown.
    var orientation: ImageOrientation { get }
    /// Pictures that the file holds: an animation's frames, an icon's sizes.
    var frameCount: Int { get }

    /// Bytes that decoding takes at its peak, the result included.
    ///
    /// - Parameter scaled: the size that is asked for, before it is turned.
    func decodedBytes(scaled: PixelSize) -> Int

    /// The pixels of the shown picture, premultiplied, turned and of the size asked for.
    ///
    /// - Parameter file: the same bytes that the header was read from.
    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer
}

extension EncodedPicture {
    var orientation: ImageOrientation { .up }
    var frameCount: Int { 1 }

    /// The size that is shown.
    var shown: PixelSize { orientation.size(of: stored) }

    /// The stored size, fitted into a shown one.
    func scaled(toFit target: PixelSize?) -> PixelSize {
        stored.fitting(orientation.isOnItsSide ? target?.turned : target)
    }
}
