public import Foundation

/// Decodes PNG, JPEG, GIF, BMP and ICO, detected by the first bytes and within limits.
///
/// The header is read first: size, frames and memory for decoding are compared with `limits` before
/// anything of that size is allocated. TIFF and WebP are refused by name. A file without all of its
/// pixels is an error, not half a picture; a missing end mark, and oddities outside the pixels, are
/// ignored. In a truncated animation the truncated frame throws the error.
public struct ImageDecoder: Sendable {
    /// How large an image may be.
    public var limits = ImageLimits()
    /// The most pixels that are needed; a larger image is scaled down while decoding, with its
    /// proportions, to fit. Nil for the image's own size.
    public var targetPixelSize: PixelSize?
    /// Pixels for each point.
    public var scale = 1.0
    /// Whether `image(from:)` decodes the pixels; otherwise they are decoded on demand.
    public var inflates = Inflation.always

    /// When pixels are decoded.
    public enum Inflation: Hashable, Sendable {
        case always
        /// If there are at most this many.
        case upTo(pixels: Int)
        case whenAskedFor
    }

    /// A decoder with the settings named at each property.
    public init() {}

    /// Reads the header of a file, within the limits.
    ///
    /// - Throws: `ImageDecodingError`, `ImageLimitError`.
    public func header(of file: Data) throws -> ImageHeader {
        let picture = try picture(in: file)
        let scaled = picture.scaled(toFit: targetPixelSize)
        return ImageHeader(
            format: picture.format, pixelSize: picture.orientation.size(of: scaled),
            orientation: picture.orientation, frameCount: picture.frameCount,
            decodedBytes: picture.decodedBytes(scaled: scaled))
    }

    /// Decodes a file.
    ///
    /// It blocks the calling thread while it decodes, and while other images use the memory for
    /// decoding.
    ///
    /// - Throws: `ImageDecodingError`, `ImageLimitError`.
    public func image(from file: Data) throws -> DecodedImage {
        let picture = try picture(in: file)
        let image = try EncodedFile(picture: picture, bytes: file, limits: limits)
            .image(scaled: picture.scaled(toFit: targetPixelSize), scale: scale)
        switch inflates {
        case .upTo(let pixels) where image.pixelSize.bytes / 4 > pixels: break
        case .whenAskedFor: break
        default: _ = try image.pixels()
        }
        return image
    }

    private func picture(in file: Data) throws -> any EncodedPicture {
        let format = try ImageFormat(of: file)
        return try file.withUnsafeBytes { bytes -> any EncodedPicture in
            let view = ByteView(bytes, format)
            return switch format {
            case .png: try PNGPicture(view, limits)
            case .jpeg: try JPEGPicture(view, limits)
            case .gif: try GIFPicture(view, limits)
            case .bmp: try BMPPicture(view, limits)
            case .ico: try ICOPicture(view, limits)
            }
        }
    }
}

/// The properties of an image file, read before anything is decoded.
public struct ImageHeader: Hashable, Sendable {
    /// Detected by the first bytes.
    public let format: ImageFormat
    /// The size in display orientation, scaled down to the decoder's `targetPixelSize`.
    public let pixelSize: PixelSize
    /// How the stored picture is oriented.
    public let orientation: ImageOrientation
    /// An animation's frames, an icon file's pictures; 1 otherwise.
    public let frameCount: Int
    /// The peak memory for decoding, in bytes.
    public let decodedBytes: Int
}
