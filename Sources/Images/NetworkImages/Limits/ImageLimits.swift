import Foundation
public import HTTPSemantics

/// How large an image may be; each limit that is exceeded has an error of its own.
///
/// All are checked with the image's header, before anything of that size is allocated: a file of 35 bytes
/// can declare two thousand million pixels.
public struct ImageLimits: Hashable, Sendable {
    /// Width times height of the picture, or of an animation's canvas. It also limits the pixels that all frames
    /// together have outside of the canvas: they take time and are not shown.
    public var maximumPixels = 64_000_000
    /// Pixels of one side.
    public var maximumSide = 32_768
    /// Frames of an animation, pictures in an icon file.
    public var maximumFrames = 2_000
    /// Bytes that decoding takes at its peak: the pixels, and what the decoder itself needs, such as
    /// a progressive JPEG's coefficients. A `targetPixelSize` makes it smaller.
    public var maximumDecodedBytes = 256 << 20
    /// Scans of a JPEG.
    public var maximumScans = 500
    /// How many blocks of 8 x 8 samples all scans of a JPEG visit together: a few kilobytes can
    /// send a decoder four hundred times over sixteen million coefficients.
    public var maximumScanBlocks = 32_000_000
    /// Bytes of an animation's frames that are kept once they are decoded; an animation whose
    /// frames need more keeps none.
    public var keptFrameBytes = 8 << 20

    /// The limits named at each property.
    public init() {}

    /// Refuses a size that is too large.
    func check(_ size: PixelSize) throws(ImageLimitError) {
        guard size.width <= maximumSide, size.height <= maximumSide else {
            throw ImageLimitError(.side, maximumSide)
        }
        let (pixels, isLarge) = size.width.multipliedReportingOverflow(by: size.height)
        if isLarge || pixels > maximumPixels { throw ImageLimitError(.pixels, maximumPixels) }
    }

    func check(frames: Int) throws(ImageLimitError) {
        if frames > maximumFrames { throw ImageLimitError(.frames, maximumFrames) }
    }

    func check(decodedBytes: Int) throws(ImageLimitError) {
        if decodedBytes > maximumDecodedBytes {
            throw ImageLimitError(.decodedBytes, maximumDecodedBytes)
        }
    }
}

/// A limit of `ImageLimits` that an image exceeded; for a response it is the underlying error of a -1103.
///
/// As an `NSError` it has the domain `NetworkImages.limit`; later versions keep its codes.
public struct ImageLimitError: NumberedError, Hashable, Sendable {
    /// Which limit.
    public enum Limit: Int, Hashable, Sendable {
        case pixels = 1
        case side = 2
        case frames = 3
        case decodedBytes = 4
        case scans = 5
        case scanBlocks = 6
    }

    /// Which limit was exceeded.
    public let limit: Limit
    /// What it was set to.
    public let value: Int

    init(_ limit: Limit, _ value: Int) {
        self.limit = limit
        self.value = value
    }

    /// `NetworkImages.limit`.
    public static var errorDomain: String { "NetworkImages.limit" }

    package var numbered: (number: Int, sentence: String) { (limit.rawValue, sentence) }

    private var sentence: String {
        switch limit {
        case .pixels: "The image has more than \(value) pixels (limits.maximumPixels)."
        case .side: "The image has a side of more than \(value) pixels (limits.maximumSide)."
        case .frames: "The image has more than \(value) frames (limits.maximumFrames)."
        case .decodedBytes:
            "Decoding the image would take more than \(value) bytes; "
                + "ask for a smaller targetPixelSize, or set limits.maximumDecodedBytes."
        case .scans: "The JPEG has more than \(value) scans (limits.maximumScans)."
        case .scanBlocks:
            "The JPEG's scans have more than \(value) blocks (limits.maximumScanBlocks)."
        }
    }
}
