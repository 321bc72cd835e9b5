import Foundation

/// An icon file, of which the largest picture is decoded.
struct ICOPicture: EncodedPicture {
    let format = ImageFormat.ico
    let frameCount: Int
    private let picture: any EncodedPicture
    private let start: Int
    private let length: Int

    var stored: PixelSize { picture.stored }
    var orientation: ImageOrientation { picture.orientation }

    init(_ file: ByteView, _ limits: ImageLimits) throws {
        let directory = try ICODirectory(file, limits)
        try self.init(file, directory.best, of: directory.entries.count, limits)
    }

    /// One of the pictures: a PNG or a BMP by its first bytes, never another icon.
    init(
        _ file: ByteView, _ entry: ICODirectory.Entry, of count: Int, _ limits: ImageLimits
    ) throws {
        frameCount = count
        start = entry.start
        length = min(entry.length, max(0, file.count - entry.start))
        let part = try file.part(start, length)
        picture =
            part.starts(with: "PNG\r\n", at: 1)
            ? try PNGPicture(part, limits) : try ICOBitmap(part, limits)
    }

    func decodedBytes(scaled: PixelSize) -> Int { picture.decodedBytes(scaled: scaled) }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        guard start <= file.count, length <= file.count - start else {
            throw ImageDecodingError(.truncated(.ico))
        }
        let first = file.startIndex + start
        return try picture.pixels(of: file[first..<first + length], scaled: scaled)
    }
}

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
            let offset = 6 + number * 16
            // 0 means 256.
            func side(_ byte: UInt8) -> Int { byte == 0 ? 256 : Int(byte) }
            return Entry(
                size: PixelSize(
                    width: side(try file.byte(offset)), height: side(try file.byte(offset + 1))),
                bits: try file.little16(offset + 6), start: try file.little32(offset + 12),
                length: try file.little32(offset + 8))
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

/// A BMP inside an icon file: its rows, followed by a mask of one bit for each pixel.
struct ICOBitmap: EncodedPicture {
    let header: BMPHeader
    let format = ImageFormat.ico
    var stored: PixelSize { header.size }

    init(_ part: ByteView, _ limits: ImageLimits) throws {
        header = try BMPHeader(part, at: 0, pixels: nil, halved: true, limits)
        guard header.compression == .none, !header.isTopDown else {
            throw part.damage("a compressed or top-down picture")
        }
        _ = try part.part(header.pixels, header.stride * header.size.height)
    }

    func decodedBytes(scaled: PixelSize) -> Int { scaled.bytes }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        try file.withUnsafeBytes { bytes in
            let part = ByteView(bytes, .ico)
            let reader = BMPReader(header: header, file: part)
            let hasAlpha = try self.hasAlpha(part)
            return try PixelBuffer.shown(stored, scaled: scaled, hasAlpha: true) { number, row in
                try reader.write(number, to: row)
                if hasAlpha {
                    try writeAlpha(part, number, to: row)
                } else {
                    writeMask(part, number, to: row)
                }
            }
        }
    }

    private func start(of number: Int) -> Int {
        header.pixels + (stored.height - 1 - number) * header.stride
    }

    /// Pixels of 32 bits have their own alpha, unless all alphas are 0.
    private func hasAlpha(_ part: ByteView) throws -> Bool {
        guard header.bits == 32 else { return false }
        for number in 0..<stored.height {
            for pixel in 0..<stored.width {
                if try part.byte(start(of: number) + pixel * 4 + 3) != 0 { return true }
            }
        }
        return false
    }

    private func writeAlpha(
        _ part: ByteView, _ number: Int, to row: UnsafeMutableBufferPointer<UInt8>
    ) throws {
        for pixel in 0..<stored.width {
            row[pixel * 4 + 3] = try part.byte(start(of: number) + pixel * 4 + 3)
        }
    }

    /// A set bit is a transparent pixel. A truncated or missing mask hides nothing.
    private func writeMask(
        _ part: ByteView, _ number: Int, to row: UnsafeMutableBufferPointer<UInt8>
    ) {
        let stride = (stored.width + 31) / 32 * 4
        let first = header.pixels + header.stride * stored.height
        let offset = first + (stored.height - 1 - number) * stride
        for pixel in 0..<stored.width {
            guard let byte = try? part.byte(offset + pixel / 8) else { return }
            if byte >> (7 - pixel % 8) & 1 == 1 { row[pixel * 4 + 3] = 0 }
        }
    }
}
