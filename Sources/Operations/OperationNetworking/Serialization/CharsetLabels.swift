import Foundation

/// The labels of the WHATWG's Encoding Standard (section 4.2) that Foundation does not know, or takes for a
/// script of the old Macintosh.
enum CharsetLabels {
    static func encoding(of label: String) -> String.Encoding? {
        all[label.lowercased()]
    }

    private static let all: [String: String.Encoding] = {
        let latin = { (number: UInt) in String.Encoding(rawValue: 0x8000_0200 + number) }
        let windows = { (number: UInt) in String.Encoding(rawValue: 0x8000_0500 + number) }
        let groups: [(String, String.Encoding)] = [
            ("x-unicode20utf8", .utf8), ("unicodefffe", .utf16BigEndian),
            ("unicodefeff", .utf16LittleEndian), ("cyrillic", latin(5)),
            ("arabic csiso88596e csiso88596i", latin(6)), ("greek", latin(7)),
            ("hebrew csiso88598e csiso88598i logical visual", latin(8)),
            ("iso8859-14 iso885914", latin(14)), ("iso8859-11 iso885911 dos-874", .thai),
            ("koi", .koi8R), ("koi8-ru", .koi8U), ("x-mac-ukrainian", .macCyrillic),
            ("x-cp1250", .windowsCP1250), ("x-cp1251", .windowsCP1251),
            ("x-cp1252", .windowsCP1252), ("x-cp1253", .windowsCP1253),
            ("x-cp1254", .windowsCP1254), ("x-cp1255", windows(5)), ("x-cp1256", windows(6)),
            ("x-cp1257", windows(7)), ("x-cp1258", windows(8)), ("x-gbk", .gbk),
            ("chinese csiso58gb231280 gb_2312-80 iso-ir-58", .gb2312), ("korean", .eucKR),
            ("cn-big5 x-x-big5", .big5),
        ]
        var all: [String: String.Encoding] = [:]
        for (labels, encoding) in groups {
            for label in labels.split(separator: " ") { all[String(label)] = encoding }
        }
        return all
    }()
}

extension String.Encoding {
    static let macCyrillic = String.Encoding(rawValue: 0x8000_0007)
    /// Code page 874, which has all of TIS-620 and ISO 8859-11.
    static let thai = String.Encoding(rawValue: 0x8000_041D)
    static let koi8R = String.Encoding(rawValue: 0x8000_0A02)
    static let koi8U = String.Encoding(rawValue: 0x8000_0A08)
}
