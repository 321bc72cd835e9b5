import Foundation
import NetworkImages
import OperationNetworking

/// One address of a gallery, with its image or the reason why there is none.
struct GalleryTile: Sendable {
    enum Content: Sendable {
        /// An image that fits into a tile, and the length of its file, if known.
        case image(DecodedImage, bytes: Int64?)
        /// Why there is none, as a sentence.
        case problem(String)
    }

    /// The file's name in the address, or `address` where it is no URL.
    var name: String
    /// The address without a password.
    var address: String
    /// The name's link: the address without user and password; nil where it is no URL.
    var link: String?
    var content: Content

    init(_ item: DownloadItem, _ content: Content) {
        let shown = PrintableText.line(ShownURL.text(item.text))
        name = item.target.map { FileNames.base(for: $0.url) } ?? shown
        address = shown
        link = item.target.flatMap { target in
            var parts = URLComponents(url: target.url, resolvingAgainstBaseURL: true)
            parts?.percentEncodedUser = nil
            parts?.percentEncodedPassword = nil
            return parts?.string
        }
        self.content = content
    }

    /// Why there is no image.
    var problem: String? {
        if case .problem(let sentence) = content { return sentence }
        return nil
    }

    /// `160 x 120 GIF, 12 frames, 3.4 KiB`; empty where there is no image.
    var details: String {
        guard case .image(let image, let bytes) = content else { return "" }
        let size = image.originalPixelSize
        let format = image.format.map { " " + $0.name } ?? ""
        let frames = image.frameCount > 1 ? "\(image.frameCount) frames" : nil
        let length = bytes.map(Quantity.size)
        return (["\(size.width) x \(size.height)" + format] + [frames, length].compactMap { $0 })
            .joined(separator: ", ")
    }
}

extension [GalleryTile] {
    /// `16 images, 2 could not be shown`.
    var summary: String {
        let failed = count { $0.problem != nil }
        return Quantity.count(count, "image")
            + (failed > 0 ? ", \(failed) could not be shown" : "")
    }
}

/// Why an image cannot be shown, in one line.
enum GalleryProblem {
    static func sentence(for error: any Error) -> String {
        guard let error = error as? ResponseSerializationError else {
            return ErrorSentence.text(for: error, advice: .gallery)
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
