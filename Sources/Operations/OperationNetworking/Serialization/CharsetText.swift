import Foundation

/// Text in a charset of one byte a character: ASCII and 128 others.
struct SingleByteText: Sendable {
    /// The character of each byte from 80 on; nil for none.
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
    /// Foundation on Linux has other characters for these bytes, and crashes for some texts.
    static let macRoman = SingleByteText(
        upper: Array(
            """
            ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
            ¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ
            """.unicodeScalars))

    private init(upper: [Unicode.Scalar?]) {
        self.upper = upper
    }

    /// Foundation's characters, with changes.
    private init(_ encoding: String.Encoding, _ changes: [UInt8: Unicode.Scalar?]) {
        upper = (UInt8(0x80)...0xFF).map { byte in
            changes[byte] ?? String(data: Data([byte]), encoding: encoding)?.unicodeScalars.first
        }
    }

    /// The text; nil for an invalid byte.
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

    /// The bytes; nil for a character that the charset does not have.
    func data(_ text: String) -> Data? {
        var bytes = Data(capacity: text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                bytes.append(UInt8(scalar.value))
            } else if let index = upper.firstIndex(of: scalar) {
                bytes.append(UInt8(0x80 + index))
            } else {
                return nil
            }
        }
        return bytes
    }
}

/// Text whose characters have one or two bytes, EUC-JP's also three, read by the rules of the WHATWG's Encoding
/// Standard (sections 11 to 13).
enum DoubleByteText {
    case big5, eucJP, eucKR, shiftJIS

    /// The text; nil for invalid bytes.
    func string(_ data: Data) -> String? {
        var text = TextInUTF8(capacity: data.count * 3 / 2)
        var bytes = [UInt8](data).makeIterator()
        while let byte = bytes.next() {
            guard byte >= 0x80 else {
                text.append(UInt32(byte))
                continue
            }
            let number = number(byte, &bytes)
            guard number > 0 else { return nil }
            if number > 0x10_FFFF { text.append(number >> 16) }
            text.append(number > 0x10_FFFF ? number & 0xFFFF : number)
        }
        return text.string
    }

    /// A character's number in `CharacterTable`; 0 for none.
    private func number(_ lead: UInt8, _ rest: inout IndexingIterator<[UInt8]>) -> UInt32 {
        switch self {
        case .big5: Self.number(in: .traditionalChinese, lead, rest.next())
        case .eucKR: Self.number(in: .korean, lead, rest.next())
        case .shiftJIS: Self.shiftJIS(lead, &rest)
        case .eucJP: Self.eucJP(lead, &rest)
        }
    }

    private static func number(
        in table: CharacterTable, _ lead: UInt8, _ trail: UInt8?
    ) -> UInt32 {
        guard let trail, (0x81...0xFE).contains(lead) else { return 0 }
        return table.number(Int(lead) - 0x81, trail)
    }

    private static func shiftJIS(_ lead: UInt8, _ rest: inout IndexingIterator<[UInt8]>) -> UInt32 {
        switch lead {
        case 0x80: return 0x80
        case 0xA1...0xDF: return halfwidth(lead)
        case 0x81...0x9F, 0xE0...0xFC:
            guard let trail = rest.next() else { return 0 }
            return CharacterTable.japanese.number(Int(lead) - (lead < 0xA0 ? 0x81 : 0xC1), trail)
        default: return 0
        }
    }

    private static func eucJP(_ lead: UInt8, _ rest: inout IndexingIterator<[UInt8]>) -> UInt32 {
        guard let next = rest.next(), next >= 0xA1 else { return 0 }
        switch lead {
        case 0x8E: return next <= 0xDF ? halfwidth(next) : 0
        case 0x8F:
            guard next <= 0xFE, let last = rest.next(), last >= 0xA1 else { return 0 }
            return CharacterTable.supplementaryJapanese.number(Int(next) - 0xA1, last & 0x7F)
        case 0xA1...0xFE:
            guard next <= 0xFE else { return 0 }
            // Rows of 94 characters; those of Shift_JIS have the same order without gaps.
            return CharacterTable.japanese.number(at: (Int(lead) - 0xA1) * 94 + Int(next) - 0xA1)
        default: return 0
        }
    }

    /// Halfwidth katakana, from A1 on.
    private static func halfwidth(_ byte: UInt8) -> UInt32 { 0xFF61 + UInt32(byte) - 0xA1 }
}

/// Builds a text from code points, many times faster than by appending to a `String`.
struct TextInUTF8 {
    private var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// - Parameter number: a Unicode scalar's code point.
    mutating func append(_ number: UInt32) {
        func append(_ lead: UInt32, _ tail: UInt32) {
            bytes.append(UInt8(truncatingIfNeeded: lead | number >> (6 * tail)))
            for index in (0..<tail).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: 0x80 | number >> (6 * index) & 0x3F))
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
