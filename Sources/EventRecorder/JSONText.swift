import Foundation

/// JSON as bytes, written piece by piece; many times as fast as Foundation's encoder.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    /// By numbers: a text itself is compared by its string.
    private var quoted: [UInt64: [UInt8]] = [:]

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// JSON as it is.
    mutating func raw(_ json: String) { bytes.append(contentsOf: json.utf8) }

    mutating func raw(_ json: Data) { bytes.append(contentsOf: json) }

    mutating func write(_ number: some FixedWidthInteger) {
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Nanoseconds as microseconds.
    mutating func writeMicroseconds(_ nanoseconds: UInt64) {
        let parts = nanoseconds.quotientAndRemainder(dividingBy: 1000)
        write(parts.quotient)
        bytes.append(UInt8(ascii: "."))
        bytes.append(contentsOf: String(1000 + parts.remainder).utf8.dropFirst())
    }

    mutating func write(_ string: String) { Self.quote(string, into: &bytes) }

    mutating func write(_ text: EventText) {
        let key = UInt64(text.table) << 32 | UInt64(text.number)
        if let known = quoted[key] {
            bytes.append(contentsOf: known)
        } else {
            var made: [UInt8] = []
            Self.quote(text.string, into: &made)
            quoted[key] = made
            bytes.append(contentsOf: made)
        }
    }

    private static func quote(_ string: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let hexadecimal = String(byte, radix: 16)
                bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: hexadecimal.utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
