import CoreFoundation
import EventRecorder
public import Foundation
import FoundationNetworking

/// Converts between text and its bytes in a charset.
package enum TextEncoding {
    /// The encoding that a response names; UTF-8 where it names none or an unknown one (RS-1).
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

    /// The text, or nil when the bytes are not in that encoding (RS-2).
    ///
    /// An encoding that the WHATWG's Encoding Standard has is read as browsers read it, also where its name means
    /// fewer characters. ISO Latin 1, ASCII and UTF-16 without a mark are Foundation's.
    package static func string(_ data: Data, _ encoding: String.Encoding) -> String? {
        switch encoding {
        case .utf16, .utf16BigEndian, .utf16LittleEndian:
            // Foundation passes over what is left of a character.
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

    /// The bytes of a text, or nil when the encoding lacks one of its characters.
    static func data(_ text: String, _ encoding: String.Encoding) -> Data? {
        switch encoding {
        case .utf8: return Data(text.utf8)
        case .macOSRoman: return SingleByteText.macRoman.data(text)
        case .japaneseEUC:
            // Foundation on Linux does not convert it, although it has a name for it.
            let bytes = converted(Data(text.utf8), from: "UTF-8", to: "EUC-JP")
            return whole(bytes.map { Data($0) }, of: text, encoding)
        default: break
        }
        let known = CFStringConvertNSStringEncodingToEncoding(encoding.rawValue)
        // Foundation on Linux stops the process on some of the old Macintosh scripts, 1 to 255.
        guard known > 255, CFStringIsEncodingAvailable(known), isWritable(text, encoding) else {
            return nil
        }
        return whole(text.data(using: encoding), of: text, encoding)
    }

    /// The bytes of a text, or nil where a converter left characters out, wrote controls as others, or as bytes that
    /// are half of a character.
    private static func whole(_ data: Data?, of text: String, _ encoding: String.Encoding) -> Data?
    {
        guard let data, let read = string(data, encoding),
            read.unicodeScalars.count == text.unicodeScalars.count,
            zip(text.unicodeScalars, read.unicodeScalars).allSatisfy({ !$0.isASCII || $0 == $1 })
        else { return nil }
        return data
    }

    /// Whether each character that shows nothing can be written. Foundation on Linux leaves others of them out, and
    /// never comes back, or stops the process, where one is near the end.
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
        // The text may be a form, so it is shown without secrets as a query is.
        let shown = Redaction.address("?\(text.prefix(80))").dropFirst()
        throw RequestSerializationError(
            .textNotEncodable, "'\(shown)' cannot be written in \(encoding)")
    }

    /// Converts with the C library's converter.
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
    /// GB 2312, simplified Chinese; read as GBK.
    public static let gb2312 = String.Encoding(rawValue: 0x8000_0930)
    /// Big5, traditional Chinese; read with the supplement of Hong Kong.
    public static let big5 = String.Encoding(rawValue: 0x8000_0A03)
    /// EUC-KR, Korean; read as code page 949.
    public static let eucKR = String.Encoding(rawValue: 0x8000_0940)
}
