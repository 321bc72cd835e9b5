import Foundation

/// The brotli format without compression: uncompressed meta-blocks (RFC 7932 section 9.2).
enum StoredBrotli {
    /// The most bytes of a meta-block whose length has four digits.
    private static let most = 65_536

    static func stream(_ data: Data) -> Data {
        let bytes = [UInt8](data)
        var stream = Data()
        for start in stride(from: 0, to: bytes.count, by: most) {
            let block = bytes[start..<min(start + most, bytes.count)]
            // From the lowest bit on: not the last one, four digits, the length less one, uncompressed.
            var head = UInt32(block.count - 1) << 3 | 1 << 19
            // Before the first, one bit for a window of 64 KiB.
            if start == 0 { head <<= 1 }
            stream += (0..<3).map { UInt8(truncatingIfNeeded: head >> (8 * $0)) }
            stream += block
        }
        // An empty last meta-block, with the window's bit where it is the only one.
        stream.append(bytes.isEmpty ? 0b110 : 0b11)
        return stream
    }
}
