public import Foundation

/// Pseudo-random bytes that are a function of a seed and an absolute offset.
///
/// The server sends them without storing a file; a client computes the same bytes to compare. Bytes
/// 8k up to 8k + 8 are the splitmix64 output number k of the seed, little endian, so any range can
/// be generated alone.
public enum GeneratedBytes {
    /// The bytes of a range; offsets are in bytes and not negative.
    public static func bytes(seed: UInt64, range: Range<Int64>) -> Data {
        var data = Data(count: range.count)
        data.withUnsafeMutableBytes { fill($0, seed: seed, offset: range.lowerBound) }
        return data
    }

    /// The FNV-1a hash of a range, computed in constant memory; see `BodyHash`.
    public static func hash(seed: UInt64, range: Range<Int64>) -> UInt64 {
        var hash = BodyHash()
        var offset = range.lowerBound
        while offset < range.upperBound {
            let end = min(offset + 65_536, range.upperBound)
            bytes(seed: seed, range: offset..<end).withUnsafeBytes { hash.add($0) }
            offset = end
        }
        return hash.value
    }

    /// Fills a buffer with the bytes that begin at `offset`.
    public static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, seed: UInt64, offset: Int64
    ) {
        guard let start = buffer.baseAddress else { return }
        let count = buffer.count
        var block = UInt64(truncatingIfNeeded: offset >> 3)
        var position = 0
        let skipped = Int(offset & 7)
        if skipped > 0 {
            position = min(8 - skipped, count)
            store(word(seed, block), skipping: skipped, count: position, at: start)
            block &+= 1
        }
        while count &- position >= 8 {
            start.storeBytes(
                of: word(seed, block).littleEndian, toByteOffset: position, as: UInt64.self)
            block &+= 1
            position &+= 8
        }
        store(word(seed, block), skipping: 0, count: count - position, at: start + position)
    }

    @inline(__always)
    private static func word(_ seed: UInt64, _ block: UInt64) -> UInt64 {
        var z = seed &+ (block &+ 1) &* 0x9e37_79b9_7f4a_7c15
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    private static func store(
        _ word: UInt64, skipping: Int, count: Int, at start: UnsafeMutableRawPointer
    ) {
        for index in 0..<count {
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * (skipping + index)))
            start.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        }
    }
}
