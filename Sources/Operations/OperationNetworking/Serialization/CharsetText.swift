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

/// The two-byte characters of a charset, as in the WHATWG's Encoding Standard.
///
/// Foundation's converters have nearly all of them. Private-use characters, which they return for others, are left
/// out; `changes` has those that differ.
struct CharacterTable: Sendable {
    /// The code point of each character, row by row; 0 for none. A number above Unicode's means two characters of 16
    /// bits each.
    private let numbers: [UInt32]
    private let columns: Int
    /// The column of each second byte; nil for an invalid one.
    private let columnOfTrail: [Int?]

    /// UHC, a superset of EUC-KR (code page 949).
    static let korean = CharacterTable(
        leads: Array(0x81...0xFE), trails: [0x41...0xFE],
        String.Encoding(rawValue: 0x8000_0422))
    /// JIS X 0208 with the characters of code page 932, in Shift_JIS, with its private-use rows.
    static let japanese = CharacterTable(
        leads: Array(0x81...0x9F) + Array(0xE0...0xFC), trails: [0x40...0x7E, 0x80...0xFC],
        String.Encoding(rawValue: 0x8000_0420), keepsPrivate: true)
    /// JIS X 0212, which ISO 2022 has after an escape sequence.
    static let supplementaryJapanese = CharacterTable(
        leads: Array(0x21...0x7E), trails: [0x21...0x7E], String.Encoding(rawValue: 0x8000_0821),
        before: [0x1B, 0x24, 0x28, 0x44], after: [0x1B, 0x28, 0x42], changes: [0x2237: 0xFF5E])
    /// Big5 with Hong Kong's supplement.
    static let traditionalChinese = CharacterTable(
        leads: Array(0x81...0xFE), trails: [0x40...0x7E, 0xA1...0xFE],
        String.Encoding(rawValue: 0x8000_0A06), changes: Big5Changes.all)

    private init(
        leads: [UInt8], trails: [ClosedRange<UInt8>], _ encoding: String.Encoding,
        before: [UInt8] = [], after: [UInt8] = [], changes: [UInt16: UInt32] = [:],
        keepsPrivate: Bool = false
    ) {
        let trails = trails.flatMap(Array.init)
        var columnOfTrail = [Int?](repeating: nil, count: 256)
        for (column, trail) in trails.enumerated() { columnOfTrail[Int(trail)] = column }
        self.columnOfTrail = columnOfTrail
        columns = trails.count
        numbers = leads.flatMap { lead in
            trails.map { trail in
                if let change = changes[UInt16(lead) << 8 | UInt16(trail)] { return change }
                let bytes = Data(before + [lead, trail] + after)
                let read = String(data: bytes, encoding: encoding)?.unicodeScalars
                guard let read, read.count == 1, let number = read.first?.value else { return 0 }
                return !keepsPrivate && (0xE000...0xF8FF).contains(number) ? 0 : number
            }
        }
    }

    /// The code point of a row, from 0, and a second byte; 0 for none.
    func number(_ row: Int, _ trail: UInt8) -> UInt32 {
        columnOfTrail[Int(trail)].map { number(at: row * columns + $0) } ?? 0
    }

    /// The code point at an index of the table; 0 for none.
    func number(at index: Int) -> UInt32 {
        numbers.indices.contains(index) ? numbers[index] : 0
    }
}

/// The characters in which the standard's Big5 differs from Foundation's of 1999, by their two bytes.
enum Big5Changes {
    static let all: [UInt16: UInt32] = {
        let words = text.split(whereSeparator: \.isWhitespace).map { UInt32($0, radix: 16) ?? 0 }
        var all: [UInt16: UInt32] = [:]
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            all[UInt16(words[index])] = words[index + 1]
        }
        // The pictures of the 32 control characters.
        for number in UInt16(0)..<32 { all[0xA3C0 + number] = 0x2400 + UInt32(number) }
        return all
    }()

    private static let text = """
        87A4 9F97 87AC 9F96 8840 31C0 8841 31C1 8842 31C2 8843 31C3 8844 31C4 8846 31C5
        8849 31C6 884A 31C7 884D 31C8 884F 31C9 8850 31CA 8851 31CB 8852 31CC 8854 31CD
        8855 31CE 8862 CA0304 8864 CA030C 88A3 EA0304 88A5 EA030C 88A9 23DA 88AA 23DB 8C43 9FA6
        8C6D 9FA7 8C74 9FA8 8CB7 9FA9 8CB9 9FAA 8CBB 9FAB 8CC0 9FAC 8CD7 9FAD 8CD8 9FAE
        8CDA 9FAF 8CED 9FB2 8D48 9FB3 8E69 7BB8 8E6F 7C06 8E7E 7CCE 8EAB 7DD2 8EB4 7E1D
        8ECD 8005 8ED0 8028 8F57 83C1 8F69 84A8 8F6E 840F 8FCB 89A6 8FCC 89A9 8FFE 8D77
        906D 90FD 907A 92B9 90DC 975C 90F1 97FF 91BF 9F16 9244 8503 92AF 5159 92B0 515B
        92B1 515D 92B2 515E 92C8 936E 92D1 7479 9447 6D67 94CA 799B 95D9 9097 9644 975D
        96ED 701E 96FC 5B28 9B76 7201 9B78 77D7 9B7B 7E87 9BC6 99D6 9BDE 91D4 9BEC 60DE
        9BF6 6FB6 9C42 8F36 9C53 4FBB 9C62 71DF 9C68 9104 9C6B 9DF0 9C77 83CF 9CBC 5C10
        9CBD 79E3 9CD0 5A67 9D57 8F0B 9D5A 7B51 9DC4 62D0 9EA9 6062 9EEF 75F9 9EFD 6C4A
        9F60 9B2E 9F66 9F17 9FCB 50ED 9FD8 5F0C A063 880F A077 62CE A0D5 7468 A0DF 7162
        A0E4 7250 A3E0 2421 C6CF 5EF4 C6D3 65E0 C6D5 7676 C6D7 96B6 C6DE 3003 C6DF 4EDD
        C879 31CF C8A1 9FB0 C8A3 9FB1 FA5F 5029 FA66 507D FABD 5305 FAC5 5344 FAD5 537F
        FB48 5605 FBB8 5A77 FBF3 5E75 FBF9 5ED0 FC4F 5F58 FC6C 60A4 FCB9 6490 FCE2 6674
        FCF1 675E FDB7 6C9C FDB8 6E1D FDBB 6E2F FDF1 716E FE52 732A FE6F 745C FEAA 74E9
        FEDD 7809
        """
}
