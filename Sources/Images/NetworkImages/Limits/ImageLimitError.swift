import Foundation
public import HTTPSemantics

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
