import TestSupport

@testable import OperationNetworking

@Suite("Text in the charsets of servers", .timeLimit(.minutes(5)))
struct TextEncodingTests {
    private static func reading(_ bytes: [UInt8], _ label: String) throws -> String? {
        TextEncoding.string(Data(bytes), try #require(TextEncoding.encoding(named: label)))
    }

    private static func sum(_ label: String, pairs: Bool) throws -> UInt64 {
        let encoding = try #require(TextEncoding.encoding(named: label), "\(label)")
        var sum = TextSum()
        for byte in UInt8.min...UInt8.max {
            sum.add(TextEncoding.string(Data([byte]), encoding))
        }
        guard pairs else { return sum.value }
        for lead in UInt8(0x80)...0xFF {
            for trail in UInt8.min...0xFF {
                sum.add(TextEncoding.string(Data([lead, trail]), encoding))
            }
        }
        return sum.value
    }

    @Test(arguments: CharsetSample.all)
    func `every label of browsers is known, and each byte read as they read it`(
        sample: CharsetSample
    ) throws {
        for label in sample.labels {
            for spelling in [label, label.uppercased(), "\"\(label)\""] {
                let sum = try Self.sum(spelling, pairs: false)
                #expect(sum == sample.bytes, "\(spelling)")
            }
        }
    }

    @Test(arguments: CharsetSample.all.filter { $0.pairs != nil })
    func `each pair of bytes is read as browsers read it, or is no text`(sample: CharsetSample)
        throws
    {
        #expect(try Self.sum(sample.labels[0], pairs: true) == sample.pairs)
    }

    @Test func `the supplementary characters of EUC-JP are read as browsers read them`() throws {
        var sum = TextSum()
        for row in UInt8(0xA1)...0xFE {
            for cell in UInt8(0xA1)...0xFE {
                sum.add(try Self.reading([0x8F, row, cell], "euc-jp"))
            }
        }
        #expect(sum.value == 0x982A_8BE9_8EB1_74B6)
    }

    @Test(
        arguments: [
            ("gb2312", [0xE9, 0x46], "镕"), ("gb2312", [0x95, 0x32, 0x82, 0x36], "\u{20000}"),
            ("gbk", [0x80, 0xA2, 0xA1], "€ⅰ"), ("euc-jp", [0xAD, 0xA1, 0xA1, 0xC1], "①～"),
            ("euc-jp", [0x8E, 0xB1, 0x41], "ｱA"), ("iso-2022-jp", iso2022, "①日"),
            ("euc-kr", [0x8C, 0x63, 0x61], "똠a"), ("big5", [0xFB, 0x48, 0xA4, 0xA4], "嘅中"),
            ("big5", [0x88, 0x62], "\u{CA}\u{304}"), ("big5-hkscs", [0xA3, 0xE1], "€"),
            ("shift_jis", [0x1A, 0x1C, 0x7F, 0x87, 0x40], "\u{1A}\u{1C}\u{7F}①"),
            ("sjis", [0x80, 0xB1, 0xF0, 0x40], "\u{80}ｱ\u{E000}"), ("mac", [0x8E, 0xDB], "é€"),
            ("iso-8859-9", [0x80, 0xFD], "€ı"), ("tis-620", [0x80, 0xA1], "€ก"),
            ("hebrew", [0xE0], "א"), ("greek", [0xE1], "α"), ("cyrillic", [0xD0], "а"),
            ("korean", [0xB0, 0xA1], "가"), ("x-unicode20utf8", [0xC3, 0xA9], "é"),
            ("unicodefffe", [0x00, 0x41], "A"), ("unicodefeff", [0x41, 0x00], "A"),
            // As Foundation reads them, unlike browsers.
            ("iso-8859-1", [0x80], "\u{80}"), ("utf-16", [0x00, 0x41], "A"),
        ] as [(String, [UInt8], String)])
    func `text is read`(label: String, bytes: [UInt8], text: String) throws {
        let read = try Self.reading(bytes, label)
        #expect(read.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }

    private static let iso2022: [UInt8] = [
        0x1B, 0x24, 0x42, 0x2D, 0x21, 0x46, 0x7C, 0x1B, 0x28, 0x42,
    ]

    @Test(
        arguments: [
            ("euc-kr", [0x8C]), ("euc-kr", [0xFF]), ("euc-kr", [0xC9, 0xA1]), ("euc-kr", [0x80]),
            ("gb2312", [0x61, 0xFF]), ("gbk", [0x81, 0x30, 0x81]), ("big5", [0x81, 0x40]),
            ("big5", [0x61, 0xA4]), ("shift_jis", [0xA0]), ("shift_jis", [0x81, 0x20]),
            ("euc-jp", [0x8F, 0xA2]), ("euc-jp", [0x8E, 0xE0]), ("euc-jp", [0x85]),
            ("iso-2022-jp", [0x41, 0xC0]), ("us-ascii", [0xE9]), ("windows-874", [0xDB]),
            ("windows-1253", [0xAA]), ("utf-16le", [0x41, 0x00, 0x42]), ("utf-16be", [0x41]),
            ("utf-16", [0xFE, 0xFF, 0x41]), ("utf-32", [0x00, 0x00, 0x00, 0x41, 0x00]),
        ] as [(String, [UInt8])])
    func `bytes that are no text of the charset are nil`(label: String, bytes: [UInt8]) throws {
        #expect(try Self.reading(bytes, label) == nil)
    }

    @Test(arguments: ["x-user-defined", "replacement", "x-nobody-knows", ""])
    func `a label that names no text is unknown`(label: String) {
        #expect(TextEncoding.encoding(named: label) == nil)
    }

    @Test(
        arguments: [
            (String.Encoding.macOSRoman, "é€", [0x8E, 0xDB]), (.macOSRoman, "é日", nil),
            (.macOSRoman, "\u{AC01}", nil), (.shiftJIS, "日\u{AD}", nil),
            (.shiftJIS, "日\u{1A}", nil), (.shiftJIS, "日a\u{AD}", nil),
            (.eucKR, "한", [0xC7, 0xD1]), (.eucKR, "\u{9F}한", nil), (.eucKR, "日\u{200D}", nil),
            (String.Encoding(rawValue: 0x8000_0840), "a\u{AD}", nil),
            (.japaneseEUC, "日\u{E0001}", nil), (.gb18030, "\u{AD}", [0x81, 0x30, 0x85, 0x32]),
            (.japaneseEUC, "日〜", japanese),
            (.utf16LittleEndian, "é\u{AD}", [0xE9, 0x00, 0xAD, 0x00]),
        ] as [(String.Encoding, String, [UInt8]?)])
    func `a text is written whole, or not`(encoding: String.Encoding, text: String, bytes: [UInt8]?)
    {
        #expect(TextEncoding.data(text, encoding).map { [UInt8]($0) } == bytes)
    }

    private static let japanese: [UInt8]? = [0xC6, 0xFC, 0xA1, 0xC1]

    @Test func `a long text takes time in proportion to its length`() throws {
        let unit: [UInt8] = [0x8C, 0x63, 0x61, 0xB0, 0xA1]
        let bytes = Array(repeatElement(unit, count: 200_000).joined())
        let text = try #require(try Self.reading(bytes, "euc-kr"))
        #expect(text.unicodeScalars.count == 600_000)
        #expect(try Self.reading(bytes + [0x8C], "euc-kr") == nil)
    }
}
