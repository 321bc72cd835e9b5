/// How a stored picture must be turned for display, by EXIF's numbers.
public enum ImageOrientation: Int, Hashable, Sendable, CaseIterable {
    /// As it is stored.
    case up = 1
    /// Left and right exchanged.
    case upMirrored = 2
    /// Half a turn.
    case down = 3
    /// Top and bottom exchanged.
    case downMirrored = 4
    /// Rows become columns.
    case leftMirrored = 5
    /// A quarter turn clockwise.
    case right = 6
    /// Rows become columns, from the other end.
    case rightMirrored = 7
    /// A quarter turn counterclockwise.
    case left = 8

    var isOnItsSide: Bool { rawValue >= 5 }

    package func size(of stored: PixelSize) -> PixelSize { isOnItsSide ? stored.turned : stored }

    /// The position of a stored row's first pixel, and the distance from there to the next pixel's
    /// position, both counted in pixels of the turned picture.
    package func path(of row: Int, in stored: PixelSize) -> (start: Int, step: Int) {
        let (width, height) = (stored.width, stored.height)
        return switch self {
        case .up: (row * width, 1)
        case .upMirrored: (row * width + width - 1, -1)
        case .down: ((height - 1 - row) * width + width - 1, -1)
        case .downMirrored: ((height - 1 - row) * width, 1)
        case .leftMirrored: (row, height)
        case .right: (height - 1 - row, height)
        case .rightMirrored: ((width - 1) * height + height - 1 - row, -height)
        case .left: ((width - 1) * height + row, -height)
        }
    }
}

/// Reads the orientation from EXIF data, which have the format of a TIFF file without a picture.
///
/// It reads one tag of the first directory and nothing else. Invalid data are treated as data without an orientation.
enum EXIFOrientation {
    /// Returns the orientation in an APP1 segment of a JPEG; nil if the segment has no EXIF data.
    ///
    /// - Parameter segment: the segment's bytes after its length field.
    static func inSegment(_ segment: ByteView) -> ImageOrientation? {
        guard segment.starts(with: "Exif\0\0"),
            let data = try? segment.part(6, segment.count - 6)
        else { return nil }
        return inTIFF(data) ?? .up
    }

    /// Returns the orientation in TIFF data; nil if they are invalid or have none.
    static func inTIFF(_ data: ByteView) -> ImageOrientation? {
        if data.starts(with: "II*\0") {
            return try? read(data, word: data.little16, long: data.little32)
        }
        if data.starts(with: "MM\0*") {
            return try? read(data, word: data.big16, long: data.big32)
        }
        return nil
    }

    private typealias Number = (Int) throws -> Int

    private static let tag = 0x0112
    private static let wordType = 3
    private static let longType = 4

    private static func read(
        _ data: ByteView, word: Number, long: Number
    ) throws -> ImageOrientation? {
        let directory = try long(4)
        // The number of entries may be wrong; reading one beyond the end of the data throws an error.
        for number in 0..<(try word(directory)) {
            let entry = directory + 2 + number * 12
            guard try word(entry) == tag else { continue }
            guard try long(entry + 4) == 1 else { return nil }
            switch try word(entry + 2) {
            case wordType: return ImageOrientation(rawValue: try word(entry + 8))
            case longType: return ImageOrientation(rawValue: try long(entry + 8))
            default: return nil
            }
        }
        return nil
    }
}
