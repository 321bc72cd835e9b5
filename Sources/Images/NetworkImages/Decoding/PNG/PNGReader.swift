import CPNG

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
