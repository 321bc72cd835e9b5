import Foundation

/// Content codings without compression: the deflate format's stored blocks (RFC 1951 section 3.2.4), and brotli's
/// uncompressed meta-blocks (RFC 7932 section 9.2).
enum StoredCoding {
    /// In gzip's frame (RFC 1952).
    static func gzip(_ data: Data) -> Data {
        let head = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
        return head + blocks(data) + little(checksum(data)) + little(UInt32(data.count))
    }

    /// In zlib's frame (RFC 1950).
    static func zlib(_ data: Data) -> Data {
        Data([0x78, 0x01]) + blocks(data) + Data(little(adler(data)).reversed())
    }

    /// Blocks of at most 65,535 bytes; the last one has the final bit.
    private static func blocks(_ data: Data) -> Data {
        let bytes = [UInt8](data)
        let starts = bytes.isEmpty ? [0] : Array(stride(from: 0, to: bytes.count, by: 65_535))
        return starts.reduce(into: Data()) { result, start in
            let block = bytes[start..<min(start + 65_535, bytes.count)]
            let length = UInt16(block.count)
            result.append(start == starts.last ? 1 : 0)
            for word in [length, ~length] {
                result += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)]
            }
            result += block
        }
    }

    /// CRC-32 (RFC 1952 section 8).
    private static func checksum(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in
                crc & 1 == 1 ? (crc >> 1) ^ 0xedb8_8320 : crc >> 1
            }
        }
    }

    /// Adler-32 (RFC 1950 section 8.2).
    private static func adler(_ data: Data) -> UInt32 {
        let sums = data.reduce((low: UInt32(1), high: UInt32(0))) { sums, byte in
            let low = (sums.low + UInt32(byte)) % 65_521
            return (low, (sums.high + low) % 65_521)
        }
        return sums.high << 16 | sums.low
    }

    private static func little(_ value: UInt32) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    /// The most bytes of a brotli meta-block whose length has four nibbles.
    private static let most = 65_536

    static func brotli(_ data: Data) -> Data {
        let bytes = [UInt8](data)
        var stream = Data()
        for start in stride(from: 0, to: bytes.count, by: most) {
            let block = bytes[start..<min(start + most, bytes.count)]
            // From the lowest bit on: not the last one, four nibbles, the length less one, uncompressed.
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
