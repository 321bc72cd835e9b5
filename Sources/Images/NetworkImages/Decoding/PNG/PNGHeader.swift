/// The chunks of a PNG, read before any of its data are decoded.
struct PNGHeader: Sendable {
    var size: PixelSize
    /// Whether the rows come in seven passes, so that all rows are stored.
    var isInterlaced: Bool
    var orientation = ImageOrientation.up

    /// - Throws: `ImageDecodingError`, or `ImageLimitError`.
    init(_ file: ByteView, _ limits: ImageLimits) throws {
        guard try file.big32(8) == 13, file.starts(with: "IHDR", at: 12) else {
            throw file.damage("it does not begin with its header")
        }
        size = PixelSize(width: try file.big32(16), height: try file.big32(20))
        guard size.width > 0, size.height > 0 else { throw file.damage("a side is 0") }
        try limits.check(size)
        isInterlaced = try file.byte(28) != 0
        orientation = Self.orientation(in: file)
    }

    /// The `eXIf` chunk may precede or follow the image data.
    private static func orientation(in file: ByteView) -> ImageOrientation {
        var place = 8
        while let length = try? file.big32(place), !file.starts(with: "IEND", at: place + 4) {
            if file.starts(with: "eXIf", at: place + 4),
                let data = try? file.part(place + 8, length)
            {
                return EXIFOrientation.inTIFF(data) ?? .up
            }
            place += length + 12
        }
        return .up
    }
}
