import Foundation

/// The supported formats. The numbers never change.
public enum ImageFormat: Int, Hashable, Sendable, CaseIterable {
    case png = 1
    case jpeg = 2
    case gif = 3
    case bmp = 4
    case ico = 5

    /// Its name in texts.
    public var name: String {
        switch self {
        case .png: "PNG"
        case .jpeg: "JPEG"
        case .gif: "GIF"
        case .bmp: "BMP"
        case .ico: "ICO"
        }
    }

    /// The format that the first bytes show, whatever the file name or content type.
    ///
    /// - Throws: `ImageDecodingError`: `unsupportedFormat` with the name of a format that is known
    ///   and not supported, `unknownFormat` for anything else.
    init(of file: Data) throws(ImageDecodingError) {
        let head = Array(file.prefix(16))
        guard let known = Self.signatures.first(where: { $0.matches(head) }) else {
            throw ImageDecodingError(.unknownFormat)
        }
        guard let format = known.format else {
            throw ImageDecodingError(.unsupportedFormat(known.name))
        }
        self = format
    }

    private struct Signature {
        let name: String
        let format: ImageFormat?
        let bytes: [UInt8]
        /// A second sequence and its offset.
        var later: (offset: Int, bytes: [UInt8]) = (0, [])

        func matches(_ head: [UInt8]) -> Bool {
            head.starts(with: bytes) && head.dropFirst(later.offset).starts(with: later.bytes)
        }
    }

    private static let signatures: [Signature] = [
        Signature(name: "PNG", format: .png, bytes: [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]),
        Signature(name: "JPEG", format: .jpeg, bytes: [0xFF, 0xD8, 0xFF]),
        Signature(name: "GIF", format: .gif, bytes: Array("GIF87a".utf8)),
        Signature(name: "GIF", format: .gif, bytes: Array("GIF89a".utf8)),
        Signature(name: "BMP", format: .bmp, bytes: Array("BM".utf8)),
        Signature(name: "ICO", format: .ico, bytes: [0, 0, 1, 0]),
        refused("CUR", [0, 0, 2, 0]),
        refused("TIFF", Array("II*\0".utf8)),
        refused("TIFF", Array("MM\0*".utf8)),
        refused("TIFF", Array("II+\0".utf8)),
        refused("TIFF", Array("MM\0+".utf8)),
        refused("WebP", Array("RIFF".utf8), at: 8, Array("WEBP".utf8)),
        refused("AVIF", [], at: 4, Array("ftypavif".utf8)),
        refused("HEIF", [], at: 4, Array("ftyphei".utf8)),
        refused("PSD", Array("8BPS".utf8)),
        refused("JPEG 2000", [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20]),
        refused("PNM", Array("P1\n".utf8)), refused("PNM", Array("P2\n".utf8)),
        refused("PNM", Array("P3\n".utf8)), refused("PNM", Array("P4\n".utf8)),
        refused("PNM", Array("P5\n".utf8)), refused("PNM", Array("P6\n".utf8)),
    ]

    private static func refused(
        _ name: String, _ bytes: [UInt8], at offset: Int = 0, _ later: [UInt8] = []
    ) -> Signature {
        Signature(name: name, format: nil, bytes: bytes, later: (offset, later))
    }
}
