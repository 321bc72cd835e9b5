import Foundation

/// Writes JSON as bytes, many times as fast as Foundation's encoder.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    /// Encoded texts by their number, because the texts themselves compare by their strings.
    private var quoted: [UInt64: [UInt8]] = [:]

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

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
        var rest = string.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: appendHarmless(byte, before: &rest, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a byte, and with 0xC2 the one after it. DEL and U+0080 to U+009F are escaped: JSON allows them, but
    /// terminals interpret them.
    private static func appendHarmless(
        _ byte: UInt8, before rest: inout some IteratorProtocol<UInt8>, to bytes: inout [UInt8]
    ) {
        if byte == 0x7F {
            bytes.append(contentsOf: "\\u007f".utf8)
        } else if byte == 0xC2, let next = rest.next() {
            if next < 0xA0 {
                bytes.append(contentsOf: "\\u00\(String(next, radix: 16))".utf8)
            } else {
                bytes += [byte, next]
            }
        } else {
            bytes.append(byte)
        }
    }

    /// The same JSON with DEL and U+0080 to U+009F escaped, which Foundation's encoder leaves. In valid JSON they occur
    /// only inside strings.
    static func harmless(_ json: Data) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count)
        var rest = json.makeIterator()
        while let byte = rest.next() {
            appendHarmless(byte, before: &rest, to: &bytes)
        }
        return Data(bytes)
    }
}
