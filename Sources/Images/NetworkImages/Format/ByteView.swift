import Foundation

/// Reads numbers from the bytes of an image file, and throws an error instead of reading beyond their end.
struct ByteView {
    let format: ImageFormat
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer, _ format: ImageFormat) {
        self.bytes = bytes
        self.format = format
    }

    var count: Int { bytes.count }

    var truncation: ImageDecodingError { ImageDecodingError(.truncated(format)) }

    func damage(_ what: String) -> ImageDecodingError {
        ImageDecodingError(.damaged(format, what))
    }

    func byte(_ offset: Int) throws(ImageDecodingError) -> UInt8 {
        guard offset >= 0, offset < bytes.count else { throw truncation }
        return bytes[offset]
    }

    /// Reads a 16-bit number in little-endian order.
    func little16(_ offset: Int) throws(ImageDecodingError) -> Int {
        try Int(byte(offset)) | Int(byte(offset &+ 1)) << 8
    }

    /// Reads a 32-bit number in little-endian order.
    func little32(_ offset: Int) throws(ImageDecodingError) -> Int {
        try little16(offset) | little16(offset &+ 2) << 16
    }

    /// Reads a 16-bit number in big-endian order.
    func big16(_ offset: Int) throws(ImageDecodingError) -> Int {
        try Int(byte(offset)) << 8 | Int(byte(offset &+ 1))
    }

    /// Reads a 32-bit number in big-endian order.
    func big32(_ offset: Int) throws(ImageDecodingError) -> Int {
        try big16(offset) << 16 | big16(offset &+ 2)
    }

    func part(_ offset: Int, _ length: Int) throws(ImageDecodingError) -> ByteView {
        guard offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset else {
            throw truncation
        }
        return ByteView(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]), format)
    }

    func starts(with text: StaticString, at offset: Int = 0) -> Bool {
        guard offset >= 0, offset <= bytes.count else { return false }
        let length = text.utf8CodeUnitCount
        guard length <= bytes.count - offset else { return false }
        return (0..<length).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    /// Returns the offset of the first byte with this value at or after an offset; nil if there is none.
    func next(_ byte: UInt8, from offset: Int) -> Int? {
        guard offset >= 0, offset < bytes.count, let start = bytes.baseAddress else { return nil }
        return memchr(start + offset, Int32(byte), bytes.count - offset)
            .map { UnsafeRawPointer($0) - start }
    }

    /// Passes a pointer to the bytes, and their count, to a closure that calls a C function. The pointer is valid only in
    /// the closure.
    func withBytes<Result>(
        _ body: (UnsafePointer<UInt8>, Int) throws -> Result
    ) throws -> Result {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { throw truncation }
        return try body(start, bytes.count)
    }
}
