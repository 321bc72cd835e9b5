/// The pictures of an icon file, which are each a PNG or a BMP without its first header.
struct ICODirectory: Sendable {
    struct Entry: Sendable {
        let size: PixelSize
        let bits: Int
        let start: Int
        let length: Int
    }

    let entries: [Entry]

    /// - Throws: `ImageDecodingError`, or `ImageLimitError`.
    init(_ file: ByteView, _ limits: ImageLimits) throws {
        let count = try file.little16(4)
        guard count > 0 else { throw file.damage("it has no picture") }
        try limits.check(frames: count)
        entries = try (0..<count).map { number in
            let place = 6 + number * 16
            // 0 means 256.
            func side(_ byte: UInt8) -> Int { byte == 0 ? 256 : Int(byte) }
            return Entry(
                size: PixelSize(
                    width: side(try file.byte(place)), height: side(try file.byte(place + 1))),
                bits: try file.little16(place + 6), start: try file.little32(place + 12),
                length: try file.little32(place + 8))
        }
    }

    /// The largest picture, and of those the one with the most bits; the first of several.
    var best: Entry {
        entries.reduce(entries[0]) { best, entry in
            let (one, other) = (entry.size.bytes, best.size.bytes)
            return one > other || (one == other && entry.bits > best.bits) ? entry : best
        }
    }
}
