import CPNG
import Foundation

/// A PNG, decoded row by row. An animation's other frames are ignored.
struct PNGPicture: EncodedPicture {
    let format = ImageFormat.png
    let stored: PixelSize
    let orientation: ImageOrientation
    /// Whether the rows come in seven passes, so that all rows are stored.
    private let isInterlaced: Bool

    /// Reads the chunks, and no data in them.
    ///
    /// - Throws: `ImageDecodingError`, or `ImageLimitError`.
    init(_ file: ByteView, _ limits: ImageLimits) throws {
        guard try file.big32(8) == 13, file.starts(with: "IHDR", at: 12) else {
            throw file.damage("it does not begin with its header")
        }
        stored = PixelSize(width: try file.big32(16), height: try file.big32(20))
        guard stored.width > 0, stored.height > 0 else { throw file.damage("a side is 0") }
        try limits.check(stored)
        isInterlaced = try file.byte(28) != 0
        orientation = Self.orientation(in: file)
    }

    /// The `eXIf` chunk may precede or follow the image data.
    private static func orientation(in file: ByteView) -> ImageOrientation {
        var offset = 8
        while let length = try? file.big32(offset), !file.starts(with: "IEND", at: offset + 4) {
            if file.starts(with: "eXIf", at: offset + 4),
                let data = try? file.part(offset + 8, length)
            {
                return EXIFOrientation.inTIFF(data) ?? .up
            }
            offset += length + 12
        }
        return .up
    }

    func decodedBytes(scaled: PixelSize) -> Int {
        let isWhole = scaled == stored && orientation == .up
        // Seven passes need all rows at full size.
        return isInterlaced && !isWhole
            ? scaled.bytes.addedSaturating(stored.bytes) : scaled.bytes
    }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        try file.withUnsafeBytes { bytes in
            try ByteView(bytes, .png).withBytes { start, count in
                let reader = try PNGReader(start, count, stored)
                if reader.isInterlaced { return try passes(reader, scaled) }
                let pixels = try PixelBuffer.shown(
                    stored, scaled: scaled, orientation, hasAlpha: reader.hasAlpha
                ) { _, row in try reader.readRow(row) }
                try reader.readEnd()
                return pixels
            }
        }
    }

    private func passes(_ reader: PNGReader, _ scaled: PixelSize) throws -> PixelBuffer {
        let all = try PixelBuffer(stored)
        for _ in 0..<7 {
            for number in 0..<stored.height { try reader.readRow(all.row(number)) }
        }
        try reader.readEnd()
        return try all.shown(scaled: scaled, orientation, hasAlpha: reader.hasAlpha)
    }
}

/// libpng for bytes in memory.
///
/// ## Concurrency
/// Call from: one thread at a time, while the bytes are valid. Lock: none. Calls out on: nothing.
final class PNGReader {
    private let reader: OpaquePointer
    private let width: Int
    let isInterlaced: Bool
    let hasAlpha: Bool

    /// The most bytes of a stored chunk, and the most stored chunks.
    private static let chunkBytes = 1 << 20
    private static let chunks: UInt32 = 128

    /// Reads up to the image data.
    ///
    /// - Parameter size: the size that the header must have, as read before.
    init(_ start: UnsafePointer<UInt8>, _ count: Int, _ size: PixelSize) throws {
        let limits = cpng_limits(
            width: UInt32(size.width), height: UInt32(size.height),
            chunk_bytes: Self.chunkBytes, chunks: Self.chunks)
        guard let reader = cpng_new_reader(start, count, limits) else {
            throw ImageDecodingError(.outOfMemory(size.bytes))
        }
        self.reader = reader
        width = size.width
        var header = cpng_header()
        let isRead = cpng_read_header(reader, &header)
        (isInterlaced, hasAlpha) = (header.is_interlaced, header.has_alpha)
        // From here on the deinitializer frees the reader.
        guard isRead else { throw error }
        guard header.width == size.width, header.height == size.height else {
            throw ImageDecodingError(.damaged(.png, "its headers contradict each other"))
        }
    }

    deinit {
        cpng_free_reader(reader)
    }

    func readRow(_ row: UnsafeMutableBufferPointer<UInt8>) throws {
        precondition(row.count == width * 4)
        guard cpng_read_row(reader, row.baseAddress) else { throw error }
    }

    /// Reads what follows the rows. The end may be missing or malformed, since all pixels are
    /// there; a wrong checksum of the pixels is damage.
    func readEnd() throws {
        guard !cpng_read_end(reader), !cpng_is_cut(reader) else { return }
        if String(cString: cpng_message(reader)).hasPrefix("IDAT") { throw error }
    }

    private var error: ImageDecodingError {
        ImageDecodingError(
            cpng_is_cut(reader)
                ? .truncated(.png) : .damaged(.png, String(cString: cpng_message(reader))))
    }
}
