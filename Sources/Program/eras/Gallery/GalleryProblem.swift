import Foundation
import FoundationNetworking
import NetworkImages
import OperationNetworking

/// Why an image cannot be shown, in one line.
enum GalleryProblem {
    static func sentence(for error: any Error) -> String {
        guard let error = error as? ResponseSerializationError else {
            return ErrorSentence.text(for: error, keepsParts: false)
        }
        switch error.reason {
        case .unacceptableStatusCode(let code): return DownloadError.status(code).description
        case .unacceptableContentType(let type):
            let kind = type.map { "as \(PrintableText.line($0))" } ?? "without a type"
            return "The server sent it \(kind), which is no image."
        case .exceedsLimit: return tooLarge(error.underlying as? ImageLimitError)
        case .undecodableImage, .undecodableText, .undecodableValue:
            return (error.underlying as? ImageDecodingError)?.localizedDescription
                ?? "The body is no image."
        }
    }

    /// The limit that was exceeded, without the library's names for it.
    private static func tooLarge(_ error: ImageLimitError?) -> String {
        guard let error else { return "The image is too large." }
        return switch error.limit {
        case .pixels: "The image has more than \(error.value) pixels."
        case .side: "The image has a side of more than \(error.value) pixels."
        case .frames: "The image has more than \(error.value) frames."
        case .decodedBytes: "Decoding the image would take more than \(error.value) bytes."
        case .scans: "The JPEG has more than \(error.value) scans."
        case .scanBlocks: "The JPEG's scans have more than \(error.value) blocks."
        }
    }
}
