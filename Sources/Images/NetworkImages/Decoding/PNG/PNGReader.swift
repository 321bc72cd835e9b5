import CPNG

/// libpng on bytes in memory.
///
/// ## Concurrency
/// Call from: one thread at a time, as long as the bytes live. Lock: none. Calls out on: nothing.
final class PNGReader {
    private let reader: OpaquePointer
    private let width: Int
    let isInterlaced: Bool
    let hasAlpha: Bool

    /// Bytes of one chunk that is kept, and how many of those.
    private static let chunkBytes = 1 << 20
    private static let chunks: UInt32 = 128

    /// Reads up to the image data.
    ///
    /// - Parameter size: what the header is to say, once more.
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

    /// Reads what is behind the rows. Its end may be missing or broken: all pixels are there. A checksum
    /// of theirs that is wrong is damage.
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
