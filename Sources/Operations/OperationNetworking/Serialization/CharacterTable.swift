import Foundation

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
