import Foundation

/// Percent-encoding of the fields and values of a query (QS-7 to QS-9).
package enum PercentEscape {
    /// Everything but letters, digits and `-._~/?` becomes `%` and two upper-case digits.
    ///
    /// The bytes are those of `encoding`; for UTF-16 and UTF-32 those of UTF-8, because no server
    /// reads the others in a query. Every text can be written in UTF-8, where a lone surrogate
    /// becomes U+FFFD.
    ///
    /// - Throws: `textNotEncodable`.
    static func escaped(
        _ text: String, _ encoding: String.Encoding
    ) throws(RequestSerializationError) -> String {
        if encoding == .utf8 || widths.contains(encoding) { return escaped(text.utf8) }
        return escaped(try TextEncoding.encoded(text, encoding))
    }

    /// The same in UTF-8.
    package static func escaped(_ text: String) -> String { escaped(text.utf8) }

    private static func escaped(_ bytes: some Collection<UInt8>) -> String {
        let count = bytes.reduce(0) { $0 + (isPlain($1) ? 1 : 3) }
        return String(unsafeUninitializedCapacity: count) { buffer in
            var next = 0
            func put(_ byte: UInt8) {
                buffer[next] = byte
                next += 1
            }
            for byte in bytes {
                if isPlain(byte) {
                    put(byte)
                } else {
                    put(UInt8(ascii: "%"))
                    put(digit(byte >> 4))
                    put(digit(byte & 15))
                }
            }
            return next
        }
    }

    /// The unescaped characters of 2.6.3. They never change, because signatures of requests depend
    /// on them.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static let widths: Set<String.Encoding> = [
        .utf16, .utf16BigEndian, .utf16LittleEndian,
        .utf32, .utf32BigEndian, .utf32LittleEndian,
    ]
}
