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
