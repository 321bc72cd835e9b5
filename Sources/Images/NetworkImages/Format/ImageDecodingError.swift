import Foundation
public import HTTPSemantics

/// Why a body is no image, or cannot be decoded.
///
/// As an `NSError` it has the domain `NetworkImages.decoding`; later versions keep its codes.
public struct ImageDecodingError: NumberedError, Hashable, Sendable {
    /// What was wrong.
    public enum Reason: Hashable, Sendable {
        /// 1: the first bytes are those of no image format.
        case unknownFormat
        /// 2: an image in a format that is not supported; its name, such as "TIFF" or "WebP".
        case unsupportedFormat(String)
        /// 3: the file ends early.
        case truncated(ImageFormat)
        /// 4: the file violates its format; where, in words.
        case damaged(ImageFormat, String)
        /// 5: there was no memory for so many bytes.
        case outOfMemory(Int)
    }

    /// What was wrong.
    public let reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }

    /// `NetworkImages.decoding`.
    public static var errorDomain: String { "NetworkImages.decoding" }

    package var numbered: (number: Int, sentence: String) {
        switch reason {
        case .unknownFormat:
            (1, "The body is no image: its first bytes are those of no known format.")
        case .unsupportedFormat(let name): (2, "The image is a \(name), which is not decoded here.")
        case .truncated(let format): (3, "The \(format.name) ends early.")
        case .damaged(let format, let what): (4, "The \(format.name) is damaged: \(what).")
        case .outOfMemory(let bytes):
            (5, "There is no memory for the \(bytes) bytes of the image.")
        }
    }
}
