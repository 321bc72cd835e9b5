/// JSON as bytes, written piece by piece; many times as fast as Foundation's encoder.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    /// By numbers: a text itself is compared by its string.
    private var quoted: [UInt64: [UInt8]] = [:]

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// JSON as it is.
    mutating func raw(_ json: String) { bytes.append(contentsOf: json.utf8) }

    mutating func raw(_ json: some Sequence<UInt8>) { bytes.append(contentsOf: json) }

    mutating func write(_ string: String) { Self.quote(string, into: &bytes) }

    mutating func write(_ text: EventText) {
        let key = UInt64(text.table) << 32 | UInt64(text.number)
        if quoted[key] == nil { Self.quote(text.string, into: &quoted[key, default: []]) }
        bytes.append(contentsOf: quoted[key, default: []])
    }

    private static func quote(_ string: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
