import Foundation

/// Text of which each byte is a character: ASCII, and 128 of its charset.
struct SingleByteText: Sendable {
    /// The character of each byte from 80 on; nil: it has none.
    private let upper: [Unicode.Scalar?]

    static let koi8U = SingleByteText(.koi8U, [0xAE: "\u{45E}", 0xBE: "\u{40E}"])
    static let windows1252 = SingleByteText(
        .windowsCP1252,
        [
            0x81: "\u{81}", 0x8D: "\u{8D}", 0x8F: "\u{8F}", 0x90: "\u{90}", 0x9D: "\u{9D}",
        ])
    static let windows1253 = SingleByteText(.windowsCP1253, [0xAA: nil])
    static let windows1255 = SingleByteText(
        String.Encoding(rawValue: 0x8000_0505), [0xCA: "\u{5BA}"])
    static let thai = SingleByteText(
        .thai,
        [
            0xDB: nil, 0xDC: nil, 0xDD: nil, 0xDE: nil, 0xFC: nil, 0xFD: nil, 0xFE: nil, 0xFF: nil,
        ])
    /// Foundation on Linux has other characters for these bytes, and stops the process on some texts.
    static let macRoman = SingleByteText(
        upper: Array(
            """
            ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
            ¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ
            """.unicodeScalars))

    private init(upper: [Unicode.Scalar?]) {
        self.upper = upper
    }

    /// What Foundation reads, with changes.
    private init(_ encoding: String.Encoding, _ changes: [UInt8: Unicode.Scalar?]) {
        upper = (UInt8(0x80)...0xFF).map { byte in
            changes[byte] ?? String(data: Data([byte]), encoding: encoding)?.unicodeScalars.first
        }
    }

    /// The text; nil where a byte has no character.
    func string(_ data: Data) -> String? {
        var text = TextInUTF8(capacity: data.count * 3 / 2)
        for byte in data {
            guard let scalar = byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80] else {
                return nil
            }
            text.append(scalar.value)
        }
        return text.string
    }

    /// The bytes; nil where a character has none.
    func data(_ text: String) -> Data? {
        var bytes = Data(capacity: text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                bytes.append(UInt8(scalar.value))
            } else if let place = upper.firstIndex(of: scalar) {
                bytes.append(UInt8(0x80 + place))
            } else {
                return nil
            }
        }
        return bytes
    }
}
