public import Foundation

/// Decodes PNG, JPEG, GIF, BMP and ICO, chosen by the first bytes and within limits.
///
/// The header is read first: size, frames and what decoding would take are compared with `limits`
/// before anything of that size is allocated. TIFF and WebP are refused by name. A file
/// without all of its pixels is an error and no half picture; a missing end mark, and what is odd beside
/// the pixels, is passed over. Of an animation that is cut, the cut frame is the error.
public struct ImageDecoder: Sendable {
    /// How large an image may be.
    public var limits = ImageLimits()
    /// The most pixels that are wanted; a larger image is made smaller while it is decoded, keeps its
    /// proportions and fits. Nil for the image's own size.
    public var targetPixelSize: PixelSize?
    /// Pixels for each point.
    public var scale = 1.0
    /// Whether `image(from:)` decodes the pixels; otherwise they are decoded when asked for.
    public var inflates = Inflation.always

    /// When pixels are decoded.
    public enum Inflation: Hashable, Sendable {
        case always
        /// Where there are at most so many.
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
    /// It takes the calling thread for as long as the decoding takes, and waits while other images
    /// use the memory there is for it.
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
