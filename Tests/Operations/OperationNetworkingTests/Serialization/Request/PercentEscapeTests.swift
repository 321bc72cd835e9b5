import TestSupport

@testable import OperationNetworking

@Suite("Percent-encoding", .timeLimit(.minutes(5)))
struct PercentEscapeTests {
    private let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?".unicodeScalars)

    private func escaped(_ text: String) throws -> String {
        try PercentEscape.escaped(text, .utf8)
    }

    /// What Foundation makes of the whole text at once.
    private func oneShot(_ text: String) -> String? {
        text.addingPercentEncoding(
            withAllowedCharacters: CharacterSet(plain.map(\.self)))
    }

    @Test
    func `the set of 2.6.3 holds for each of 0x00 to 0x7F`() throws {
        for code in UInt8(0)..<0x80 {
            let scalar = UnicodeScalar(code)
            let expected =
                plain.contains(scalar)
                ? String(Character(scalar)) : "%" + String(format: "%02X", Int(code))
            #expect(try escaped(String(Character(scalar))) == expected)
        }
    }

    @Test
    func `beyond ASCII every byte of UTF-8 is escaped, through all planes`() throws {
        for code in stride(from: UInt32(0x80), through: 0x10FFFF, by: 97) {
            guard let scalar = UnicodeScalar(code) else { continue }
            let text = String(Character(scalar))
            let expected = text.utf8.map { "%" + String(format: "%02X", Int($0)) }.joined()
            #expect(try escaped(text) == expected)
        }
    }

    @Test
    func `composed characters across the offsets of the old batches come out whole`() throws {
        let composed = ["👨‍👩‍👧‍👦", "👴🏻", "🇩🇪", "e\u{301}\u{323}", "\r\n", "각", "😀"]
        for character in composed {
            for offset in 40...60 {
                let text = String(repeating: "a", count: offset) + character + "z"
                #expect(try escaped(text) == oneShot(text))
                #expect(try escaped(text).removingPercentEncoding == text)
            }
        }
    }

    @Test
    func `a lone surrogate is the replacement character, and never stops the rest`() throws {
        for units in [[0xD83D], [0x61, 0xDE00, 0x62], [0xDC00, 0xD800], [0x61, 0xD800]] {
            let units = units.map(UInt16.init(truncatingIfNeeded:))
            let text = NSString(characters: units, length: units.count)
            let count = units.filter { $0 >= 0xD800 }.count
            let query = try QueryString.text(of: [text: text])
            #expect(query.components(separatedBy: "%EF%BF%BD").count == 2 * count + 1)
        }
    }

    @Test
    func `a megabyte of Chinese is escaped like a short text`() throws {
        let text = String(repeating: "漢字仮名交じり文", count: 44_000)
        let result = try escaped(text)
        #expect(result.utf8.count == text.utf8.count * 3)
        #expect(result.removingPercentEncoding == text)
    }

    @Test(
        arguments: [
            (String.Encoding.isoLatin1, "é v", "%E9%20v"), (.shiftJIS, "あア表", "%82%A0%83A%95%5C"),
            (.gb18030, "中😀", "%D6%D0%949%FC6"), (.gbk, "漢€", "%9Dh%80"), (.gb2312, "汉", "%BA%BA"),
            (.big5, "漢", "%BA~"), (.eucKR, "한", "%C7%D1"), (.japaneseEUC, "日", "%C6%FC"),
            (.windowsCP1251, "я", "%FF"), (.isoLatin2, "ő", "%F5"), (.ascii, "a~/?", "a~/?"),
            (.utf16, "é", "%C3%A9"), (.utf32LittleEndian, "é", "%C3%A9"),
        ])
    func `the bytes are those of the encoding`(
        encoding: String.Encoding, text: String, expected: String
    ) throws {
        #expect(try PercentEscape.escaped(text, encoding) == expected)
    }

    @Test(
        arguments: [
            (String.Encoding.ascii, "é"), (.isoLatin1, "中"), (.shiftJIS, "😀"), (.gb2312, "漢"),
            (.big5, "汉"), (.eucKR, "é"), (.gbk, "😀"), (.japaneseEUC, "😀"), (.symbol, "a"),
            (String.Encoding(rawValue: 0x8000_0004), "a"),
            (String.Encoding(rawValue: 987_654), "a"),
        ])
    func `text that the encoding lacks is an error, and no encoding stops the process`(
        encoding: String.Encoding, text: String
    ) {
        let error = #expect(throws: RequestSerializationError.self) {
            try PercentEscape.escaped(text, encoding)
        }
        #expect(error?.reason == .textNotEncodable)
    }
}
