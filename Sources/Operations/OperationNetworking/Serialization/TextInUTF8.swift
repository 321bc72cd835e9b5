/// A text that grows by the numbers of its characters; many times faster than `String` itself.
struct TextInUTF8 {
    private var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// - Parameter number: that of a Unicode scalar.
    mutating func append(_ number: UInt32) {
        func append(_ lead: UInt32, _ tail: UInt32) {
            bytes.append(UInt8(truncatingIfNeeded: lead | number >> (6 * tail)))
            for place in (0..<tail).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: 0x80 | number >> (6 * place) & 0x3F))
            }
        }
        switch number {
        case 0..<0x80: append(0, 0)
        case 0x80..<0x800: append(0xC0, 1)
        case 0x800..<0x1_0000: append(0xE0, 2)
        default: append(0xF0, 3)
        }
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }
}
