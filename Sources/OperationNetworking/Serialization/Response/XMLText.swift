import Foundation

/// The bytes of an XML document in an encoding that writes markup in ASCII.
enum XMLText {
    /// The document itself, or converted; nil where its encoding is unknown.
    static func readable(_ data: Data) -> Data? {
        let start = Array(data.prefix(4))
        for (marks, encoding) in marks where marks.contains(where: start.starts) {
            return encoding.flatMap { String(data: data, encoding: $0) }.map { Data($0.utf8) }
        }
        guard let name = declaredEncoding(data), !isASCIIBased(name) else { return data }
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

    /// The encoding in the document's XML declaration.
    private static func declaredEncoding(_ data: Data) -> String? {
        let head = String(decoding: data.prefix(1_024), as: UTF8.self)
        guard let start = head.range(of: "<?xml"),
            let end = head.range(of: "?>", range: start.upperBound..<head.endIndex),
            let name = head.range(of: "encoding", range: start.upperBound..<end.lowerBound)
        else { return nil }
        let quotes: Set<Character> = ["\"", "'"]
        let value = head[name.upperBound..<end.lowerBound].drop { !quotes.contains($0) }
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
