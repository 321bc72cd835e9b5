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

    /// Foundation's encoding for an IANA charset name.
    package static func encoding(named name: String) -> String.Encoding? {
        let bare = name.trimmingCharacters(in: CharacterSet(charactersIn: "\"' "))
        let text = CFStringCreateWithCString(
            kCFAllocatorDefault, bare, CFStringBuiltInEncodings.UTF8.rawValue)
        let encoding = CFStringConvertIANACharSetNameToEncoding(text)
        guard encoding != UInt32.max else { return nil }
        return String.Encoding(rawValue: UInt(CFStringConvertEncodingToNSStringEncoding(encoding)))
    }

    /// The text, or nil when the bytes are not in that encoding (RS-2).
    package static func string(_ data: Data, _ encoding: String.Encoding) -> String? {
        // Foundation on Linux does not convert EUC-JP, although it has a name for it.
        guard encoding == .japaneseEUC else { return String(data: data, encoding: encoding) }
        return converted(data, from: "EUC-JP", to: "UTF-8").flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }

    /// The bytes of a text, or nil when the encoding lacks one of its characters.
    static func data(_ text: String, _ encoding: String.Encoding) -> Data? {
        if encoding == .utf8 { return Data(text.utf8) }
        if encoding == .japaneseEUC {
            return converted(Data(text.utf8), from: "UTF-8", to: "EUC-JP").map { Data($0) }
        }
        let known = CFStringConvertNSStringEncodingToEncoding(encoding.rawValue)
        // Foundation on Linux stops the process on some of the old Macintosh scripts, 1 to 255.
        guard known == 0 || known > 255, CFStringIsEncodingAvailable(known) else { return nil }
        return text.data(using: encoding)
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
    /// GBK, as code page 936.
    public static let gbk = String.Encoding(rawValue: 0x8000_0421)
    /// GB 2312, simplified Chinese.
    public static let gb2312 = String.Encoding(rawValue: 0x8000_0930)
    /// Big5, traditional Chinese.
    public static let big5 = String.Encoding(rawValue: 0x8000_0A03)
    /// EUC-KR, Korean.
    public static let eucKR = String.Encoding(rawValue: 0x8000_0940)
}
