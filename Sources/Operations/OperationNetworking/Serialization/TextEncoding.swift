import CoreFoundation
import EventRecorder
public import Foundation
import FoundationNetworking

/// Converts between text and its bytes in a charset.
package enum TextEncoding {
    /// The encoding that a response names; UTF-8 if it names none or an unknown one.
    static func encoding(of response: URLResponse) -> String.Encoding {
        guard let name = response.textEncodingName else { return .utf8 }
        return encoding(named: name) ?? .utf8
    }

    /// Foundation's encoding for a charset's label.
    package static func encoding(named name: String) -> String.Encoding? {
        let bare = name.trimmingCharacters(in: CharacterSet(charactersIn: "\"' "))
        if let encoding = CharsetLabels.encoding(of: bare) { return encoding }
        let text = CFStringCreateWithCString(
            kCFAllocatorDefault, bare, CFStringBuiltInEncodings.UTF8.rawValue)
        let encoding = CFStringConvertIANACharSetNameToEncoding(text)
        guard encoding != UInt32.max else { return nil }
        return String.Encoding(rawValue: UInt(CFStringConvertEncodingToNSStringEncoding(encoding)))
    }

    /// The text, or nil if the bytes are not in that encoding.
    ///
    /// Encodings of the WHATWG's Encoding Standard are read as by browsers, which may include more characters than the
    /// name says. ISO Latin 1, ASCII and UTF-16 without a byte order mark are read by Foundation.
    package static func string(_ data: Data, _ encoding: String.Encoding) -> String? {
        switch encoding {
        case .utf16, .utf16BigEndian, .utf16LittleEndian:
            // Foundation ignores an incomplete character at the end.
            return data.count.isMultiple(of: 2) ? String(data: data, encoding: encoding) : nil
        case .utf32, .utf32BigEndian, .utf32LittleEndian:
            return data.count.isMultiple(of: 4) ? String(data: data, encoding: encoding) : nil
        case .macOSRoman: return SingleByteText.macRoman.string(data)
        case .windowsCP1252:
            return String(data: data, encoding: encoding)
                ?? SingleByteText.windows1252.string(data)
        default: break
        }
        let number = CFStringConvertNSStringEncodingToEncoding(encoding.rawValue)
        switch CFStringEncodings(rawValue: CFIndex(number)) {
        case .EUC_CN, .dosChineseSimplif: return String(data: data, encoding: .gb18030)
        case .big5, .dosChineseTrad, .big5_HKSCS_1999: return DoubleByteText.big5.string(data)
        case .EUC_KR, .dosKorean: return DoubleByteText.eucKR.string(data)
        case .shiftJIS, .dosJapanese: return DoubleByteText.shiftJIS.string(data)
        case .EUC_JP: return DoubleByteText.eucJP.string(data)
        case .KOI8_U: return SingleByteText.koi8U.string(data)
        case .dosThai, .isoLatinThai: return SingleByteText.thai.string(data)
        case .isoLatin5: return String(data: data, encoding: .windowsCP1254)
        case .windowsGreek: return SingleByteText.windows1253.string(data)
        case .windowsHebrew: return SingleByteText.windows1255.string(data)
        default: return String(data: data, encoding: encoding)
        }
    }

    /// The bytes of a text, or nil if the encoding does not have one of its characters.
    static func data(_ text: String, _ encoding: String.Encoding) -> Data? {
        switch encoding {
        case .utf8: return Data(text.utf8)
        case .macOSRoman: return SingleByteText.macRoman.data(text)
        case .japaneseEUC:
            // Foundation on Linux has this encoding and does not convert to it.
            let bytes = converted(Data(text.utf8), from: "UTF-8", to: "EUC-JP")
            return whole(bytes.map { Data($0) }, of: text, encoding)
        default: break
        }
        let known = CFStringConvertNSStringEncodingToEncoding(encoding.rawValue)
        // Foundation on Linux crashes for some of the Mac OS scripts, 1 to 255.
        guard known > 255, CFStringIsEncodingAvailable(known), isWritable(text, encoding) else {
            return nil
        }
        return whole(text.data(using: encoding), of: text, encoding)
    }

    /// The bytes of a converter, or nil if they do not decode to the same text: converters may leave characters out, or
    /// write incomplete ones.
    private static func whole(_ data: Data?, of text: String, _ encoding: String.Encoding) -> Data?
    {
        guard let data, let read = string(data, encoding),
            read.unicodeScalars.count == text.unicodeScalars.count,
            zip(text.unicodeScalars, read.unicodeScalars).allSatisfy({ !$0.isASCII || $0 == $1 })
        else { return nil }
        return data
    }

    /// Whether the encoding has each invisible character of a text. Foundation on Linux leaves others out, and hangs or
    /// crashes if one is near the end.
    private static func isWritable(_ text: String, _ encoding: String.Encoding) -> Bool {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        let end = "aaaa"
        let without = end.data(using: encoding)
        var known: Set<Unicode.Scalar> = []
        for scalar in text.unicodeScalars
        where scalar.properties.isDefaultIgnorableCodePoint && known.insert(scalar).inserted {
            let with = (String(scalar) + end).data(using: encoding)
            if with == nil || with == without { return false }
        }
        return true
    }

    /// The bytes of a text.
    ///
    /// - Throws: `textNotEncodable`.
    static func encoded(
        _ text: String, _ encoding: String.Encoding
    ) throws(RequestSerializationError) -> Data {
        if let data = data(text, encoding) { return data }
        // The text may be a form, so secrets are redacted as in a query.
        let shown = Redaction.address("?\(text.prefix(80))").dropFirst()
        throw RequestSerializationError(
            .textNotEncodable, "'\(shown)' cannot be written in \(encoding)")
    }

    /// Converts by `iconv`.
    private static func converted(
        _ data: Data, from charset: String, to other: String
    ) -> [UInt8]? {
        guard let converter = iconv_open(other, charset), Int(bitPattern: converter) != -1 else {
            return nil
        }
        defer { iconv_close(converter) }
        var input = [CChar](data.map { CChar(bitPattern: $0) })
        var output = [CChar](repeating: 0, count: data.count * 4 + 4)
        let written: Int? = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                var from = source.baseAddress
                var to = target.baseAddress
                var fromLeft = source.count
                var toLeft = target.count
                guard iconv(converter, &from, &fromLeft, &to, &toLeft) != -1 else { return nil }
                return target.count - toLeft
            }
        }
        return written.map { output.prefix($0).map { UInt8(bitPattern: $0) } }
    }
}

extension String.Encoding {
    /// GB 18030, which has all of Unicode, for Chinese text.
    public static let gb18030 = String.Encoding(rawValue: 0x8000_0632)
    /// GBK, as code page 936; read as GB 18030.
    public static let gbk = String.Encoding(rawValue: 0x8000_0421)
    /// GB 2312, simplified Chinese; read as GB 18030.
    public static let gb2312 = String.Encoding(rawValue: 0x8000_0930)
    /// Big5, traditional Chinese; read with the supplement of Hong Kong.
    public static let big5 = String.Encoding(rawValue: 0x8000_0A03)
    /// EUC-KR, Korean; read as code page 949.
    public static let eucKR = String.Encoding(rawValue: 0x8000_0940)
}

/// The charset labels of the WHATWG's Encoding Standard (section 4.2) that Foundation does not have, or takes for
/// Mac OS scripts.
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
    /// Code page 874, a superset of TIS-620 and ISO 8859-11.
    static let thai = String.Encoding(rawValue: 0x8000_041D)
    static let koi8R = String.Encoding(rawValue: 0x8000_0A02)
    static let koi8U = String.Encoding(rawValue: 0x8000_0A08)
}
