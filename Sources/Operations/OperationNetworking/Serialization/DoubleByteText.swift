import Foundation

/// Text whose characters have one or two bytes, EUC-JP's also three, read by the rules of the WHATWG's Encoding
/// Standard (sections 11 to 13).
enum DoubleByteText {
    case big5, eucJP, eucKR, shiftJIS

    /// The text; nil where bytes are no character.
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

    /// The number of a character as `CharacterTable` has it; 0: there is none.
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
            // Rows of 94 characters, those of Shift_JIS without a gap.
            return CharacterTable.japanese.number(at: (Int(lead) - 0xA1) * 94 + Int(next) - 0xA1)
        default: return 0
        }
    }

    /// Katakana of half the width, from A1 on.
    private static func halfwidth(_ byte: UInt8) -> UInt32 { 0xFF61 + UInt32(byte) - 0xA1 }
}
