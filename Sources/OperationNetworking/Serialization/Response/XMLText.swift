import Foundation

/// The bytes of an XML document in an encoding that writes markup in ASCII.
enum XMLText {
    /// The document itself, or converted; nil where its encoding is unknown, also because its XML declaration
    /// does not end soon.
    static func readable(_ data: Data) -> Data? {
        let start = Array(data.prefix(4))
        for (marks, encoding) in marks where marks.contains(where: start.starts) {
            return encoding.flatMap { String(data: data, encoding: $0) }.map { Data($0.utf8) }
        }
        guard let declaration = declaration(data) else { return nil }
        guard let name = encoding(in: declaration), !isASCIIBased(name) else { return data }
        return TextEncoding.encoding(named: name).flatMap { TextEncoding.string(data, $0) }
            .map { Data($0.utf8) }
    }

    /// The first bytes by which a parser recognises an encoding (XML 1.0, appendix F); nil for
    /// EBCDIC.
    private static let marks: [(starts: [[UInt8]], encoding: String.Encoding?)] = [
        ([[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]], .utf32),
        ([[0x3C, 0, 0, 0]], .utf32LittleEndian), ([[0, 0, 0, 0x3C]], .utf32BigEndian),
        ([[0xFF, 0xFE], [0xFE, 0xFF]], .utf16),
        ([[0x3C, 0]], .utf16LittleEndian), ([[0, 0x3C]], .utf16BigEndian),
        ([[0x4C, 0x6F, 0xA7, 0x94]], nil),
    ]

    private static let longestDeclaration = 1_024

    /// What is between `<?xml` and `?>` at the start; empty where the document has none, nil where it has no end.
    private static func declaration(_ data: Data) -> Substring? {
        let head = String(decoding: data.prefix(longestDeclaration), as: UTF8.self)
        let text = head.drop { $0 == "\u{FEFF}" || $0.isWhitespace }
        guard text.hasPrefix("<?xml"), text.dropFirst(5).first?.isWhitespace != false else {
            return ""
        }
        return text.range(of: "?>").map { text.dropFirst(5)[..<$0.lowerBound] }
    }

    private static func encoding(in declaration: Substring) -> String? {
        guard let name = declaration.range(of: "encoding") else { return nil }
        let quotes: Set<Character> = ["\"", "'"]
        let value = declaration[name.upperBound...].drop { !quotes.contains($0) }
        return value.first.map { quote in String(value.dropFirst().prefix { $0 != quote }) }
    }

    /// Whether the bytes of `<`, `>`, `=`, `&` and quotes have no other meaning in an encoding.
    private static func isASCIIBased(_ name: String) -> Bool {
        let starts = [
            "utf-8", "utf8", "us-ascii", "ascii", "iso-8859", "iso8859", "iso_8859", "latin",
            "windows-", "cp125", "cp932", "koi8", "shift", "sjis", "euc", "gb", "big5", "macintosh",
            "tis-620",
        ]
        return starts.contains(where: name.lowercased().hasPrefix)
    }
}
