import Foundation

/// The bytes of a file; each read is checked against their end.
struct ByteView {
    let format: ImageFormat
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer, _ format: ImageFormat) {
        self.bytes = bytes
        self.format = format
    }

    var count: Int { bytes.count }

    var end: ImageDecodingError { ImageDecodingError(.truncated(format)) }

    func damage(_ what: String) -> ImageDecodingError {
        ImageDecodingError(.damaged(format, what))
    }

    func byte(_ offset: Int) throws(ImageDecodingError) -> UInt8 {
        guard offset >= 0, offset < bytes.count else { throw end }
        return bytes[offset]
    }

    /// Two bytes, the lower one first.
    func little16(_ offset: Int) throws(ImageDecodingError) -> Int {
        try Int(byte(offset)) | Int(byte(offset &+ 1)) << 8
    }

    /// Four bytes, the lowest one first.
    func little32(_ offset: Int) throws(ImageDecodingError) -> Int {
        try little16(offset) | little16(offset &+ 2) << 16
    }

    /// Two bytes, the higher one first.
    func big16(_ offset: Int) throws(ImageDecodingError) -> Int {
        try Int(byte(offset)) << 8 | Int(byte(offset &+ 1))
    }

    /// Four bytes, the highest one first.
    func big32(_ offset: Int) throws(ImageDecodingError) -> Int {
        try big16(offset) << 16 | big16(offset &+ 2)
    }

    func part(_ offset: Int, _ length: Int) throws(ImageDecodingError) -> ByteView {
        guard offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset else {
            throw end
        }
        return ByteView(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]), format)
    }

    func starts(with text: StaticString, at offset: Int = 0) -> Bool {
        guard offset >= 0, offset <= bytes.count else { return false }
        let length = text.utf8CodeUnitCount
        guard length <= bytes.count - offset else { return false }
        return (0..<length).allSatisfy { bytes[offset + $0] == text.utf8Start[$0] }
    }

    /// The offset of a byte's next occurrence; nil where there is none.
    func next(_ byte: UInt8, from offset: Int) -> Int? {
        guard offset >= 0, offset < bytes.count, let start = bytes.baseAddress else { return nil }
        return memchr(start + offset, Int32(byte), bytes.count - offset)
            .map { UnsafeRawPointer($0) - start }
    }

    /// The bytes for C, valid while the closure runs.
    func withBytes<Result>(
        _ body: (UnsafePointer<UInt8>, Int) throws -> Result
    ) throws -> Result {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { throw end }
        return try body(start, bytes.count)
    }
}
