public import Foundation
import OperationNetworking
import Scheduling

/// A picture: 8-bit R G B A, premultiplied, row by row from the top, in its display orientation.
///
/// It is decoded once; copies share the pixels. Two values are equal if they are the same decoded
/// picture at the same scale, not if two files have the same picture.
public struct DecodedImage: Sendable, Equatable {
    /// Width and height in pixels.
    public let pixelSize: PixelSize
    /// Width and height of the picture in its file; larger than `pixelSize` where it was scaled
    /// down while decoding.
    public let originalPixelSize: PixelSize
    /// Pixels for each point.
    public let scale: Double
    /// The file's format; nil for pixels from another source.
    public let format: ImageFormat?
    /// The frames of an animation; the picture itself is the first.
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

    /// A picture made of pixels.
    ///
    /// - Parameters:
    ///   - pixels: rows of 8-bit R G B A, premultiplied, without padding.
    ///   - size: its width and height; their product times 4 is the number of bytes.
    /// - Returns: nil where the number of bytes differs, or a side is less than 1.
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

    /// Its cost in a cache: bytes of the pixels, of all frames of an animation; for an animation
    /// also of the canvas on which the next frame is drawn, and of the file. A file that is not
    /// decoded yet, and larger than its pixels, costs its own bytes.
    public var cost: UInt64 {
        UInt64(animation?.cost ?? max(pixelSize.bytes, content.file?.bytes.count ?? 0))
    }

    /// Whether the pixels are decoded; never waits.
    public var isInflated: Bool { content.isDecoded }

    /// The pixels: width times height times 4 bytes, decoded by the first call.
    ///
    /// The calling thread decodes; other callers wait meanwhile.
    ///
    /// - Throws: `ImageDecodingError` where the file is damaged after its header, or there is no
    ///   memory, which another call tries again; never for an inflated image.
    public func pixels() throws -> Data {
        try content.pixels()
    }

    /// Decodes the pixels on a processing thread, unless they are decoded.
    ///
    /// - Throws: as `pixels()`.
    public func inflate() async throws {
        guard !isInflated else { return }
        try await withCheckedThrowingContinuation { continuation in
            let work: @Sendable () -> Void = {
                continuation.resume(with: Result { _ = try content.pixels() })
            }
            if !WorkerPool.processing.perform(work) { work() }
        }
    }

    /// The picture and its frames at another scale; the pixels are shared.
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

extension DecodedImage {
    /// The same picture scaled down to fit into a size, with its proportions; it is never enlarged.
    ///
    /// A picture that is not decoded yet is decoded at the new size, so that the full one never
    /// exists; so are an animation's frames. Of a decoded picture each new pixel is the mean of
    /// those that it covers.
    ///
    /// It blocks the calling thread while it scales.
    ///
    /// - Throws: as `pixels()`; `ImageLimitError` where decoding at that size takes more memory
    ///   than at full size, and more than allowed.
    public func fitting(_ size: PixelSize) throws -> DecodedImage {
        let target = pixelSize.fitting(size)
        guard target != pixelSize else { return self }
        guard let file = animation?.file ?? content.file else {
            return DecodedImage(
                pixelSize: target, originalPixelSize: originalPixelSize, scale: scale,
                format: format, animation: nil, content: PixelContent(try smaller(target)))
        }
        let image = try file.image(scaled: file.picture.scaled(toFit: size), scale: scale)
        _ = try image.pixels()
        return image
    }

    private func smaller(_ target: PixelSize) throws -> Data {
        let pixels = try pixels()
        return try DecodingBudget.shared.perform(taking: target.bytes) {
            try PixelBuffer.shown(pixelSize, scaled: target, hasAlpha: false) { number, row in
                let first = pixels.startIndex + number * row.count
                pixels.copyBytes(to: row, from: first..<first + row.count)
            }.data()
        }
    }
}
