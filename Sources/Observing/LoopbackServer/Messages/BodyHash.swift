public import Foundation

/// The 64-bit FNV-1a hash, computed piece by piece.
public struct BodyHash: Sendable {
    /// The hash of what was added so far.
    public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The hash of nothing.
    public init() {}

    /// The hash of a whole piece of data.
    public static func of(_ data: Data) -> UInt64 {
        var hash = BodyHash()
        data.withUnsafeBytes { hash.add($0) }
        return hash.value
    }

    /// Adds the next bytes.
    public mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        var hash = value
        var index = 0
        let count = bytes.count
        while index < count {
            hash ^= UInt64(truncatingIfNeeded: start.load(fromByteOffset: index, as: UInt8.self))
            hash &*= 0x0000_0100_0000_01b3
            index &+= 1
        }
        value = hash
    }
}
