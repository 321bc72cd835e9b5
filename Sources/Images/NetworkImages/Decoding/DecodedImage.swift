public import Foundation
import OperationNetworking

/// A picture: 8-bit R G B A, premultiplied, row by row from the top, already turned.
///
/// It is decoded once; copies share the pixels. Two values are equal if they are the same decoded
/// picture at the same scale, not if two files show the same.
public struct DecodedImage: Sendable, Equatable {
    /// Width and height in pixels.
    public let pixelSize: PixelSize
    /// Width and height of the picture in its file; more than `pixelSize` where it was made smaller
    /// while it was decoded.
    public let originalPixelSize: PixelSize
    /// Pixels for each point.
    public let scale: Double
    /// The format of the file; nil for pixels that came from elsewhere.
    public let format: ImageFormat?
    /// The frames, where there are several; the picture itself is the first.
    public let animation: AnimatedImage?
    let content: PixelContent

    init(
        pixelSize: PixelSize, originalPixelSize: PixelSize? = nil, scale: Double,
        format: ImageFormat?, animation: AnimatedImage?, content: PixelContent
    ) {
        self.pixelSize = pixelSize
        self.originalPixelSize = originalPixelSize ?? pixelSize
        self.scale = scale
        self.format = format
        self.animation = animation
        self.content = content
    }

    /// A picture from pixels.
    ///
    /// - Parameters:
    ///   - pixels: rows of 8-bit R G B A, premultiplied, without padding.
    ///   - size: its width and height; their product times 4 is the number of bytes.
    /// - Returns: nil where the number of bytes is another, or a side is less than 1.
    public init?(pixels: Data, size: PixelSize, scale: Double = 1) {
        guard size.width > 0, size.height > 0, pixels.count == size.bytes else { return nil }
        self.init(
            pixelSize: size, scale: scale, format: nil, animation: nil,
            content: PixelContent(pixels))
    }

    /// Width in pixels.
    public var pixelWidth: Int { pixelSize.width }
    /// Height in pixels.
    public var pixelHeight: Int { pixelSize.height }
    /// Width in points.
    public var width: Double { Double(pixelWidth) / scale }
    /// Height in points.
    public var height: Double { Double(pixelHeight) / scale }
    /// 1, or an animation's number of frames.
    public var frameCount: Int { animation?.frameCount ?? 1 }

    /// What it costs in a cache: bytes of the pixels, of all frames of an animation (IM-18); with an animation also
    /// of the canvas that is held to draw the next one, and of the file. A file that was not decoded yet, and
    /// that is larger than its pixels, costs as much as it has bytes.
    public var cost: UInt64 {
        UInt64(animation?.cost ?? max(pixelSize.bytes, content.file?.bytes.count ?? 0))
    }

    /// Whether the pixels are decoded; does not wait for who decodes them.
    public var isInflated: Bool { content.isDecoded }

    /// The pixels: width times height times 4 bytes, decoded now if they are not yet.
    ///
    /// The calling thread decodes; another that asks meanwhile waits.
    ///
    /// - Throws: `ImageDecodingError` where the file is damaged behind its header, or there is no memory, for which
    ///   another call tries again; never for an inflated image.
    public func pixels() throws -> Data {
        try content.pixels()
    }

    /// Decodes the pixels on a processing thread, where they are not decoded yet.
    ///
    /// - Throws: as `pixels()`.
    public func inflate() async throws {
        guard !isInflated else { return }
        try await withCheckedThrowingContinuation { continuation in
            ProcessingPool.shared.perform {
                continuation.resume(with: Result { _ = try content.pixels() })
            }
        }
    }

    /// The same picture at another scale, and its frames; the pixels are shared.
    public func with(scale: Double) -> DecodedImage {
        DecodedImage(
            pixelSize: pixelSize, originalPixelSize: originalPixelSize, scale: scale,
            format: format, animation: animation.map { AnimatedImage($0, scale: scale) },
            content: content)
    }

    /// Whether both are the same decoded picture at the same scale.
    public static func == (one: DecodedImage, other: DecodedImage) -> Bool {
        one.content === other.content && one.scale == other.scale
    }
}

extension DecodedImage: CustomStringConvertible {
    /// Size, scale, format and frames.
    public var description: String {
        let kind = format.map { " " + $0.name } ?? ""
        let frames = frameCount > 1 ? ", \(frameCount) frames" : ""
        return "image of \(pixelWidth) x \(pixelHeight)\(kind) at scale \(scale)\(frames)"
    }
}
