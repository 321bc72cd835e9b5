import CoreFoundation
import Foundation
import FoundationNetworking

/// Text of a response by its declared charset (RS-1, RS-2).
enum TextEncoding {
    /// The encoding a response names; UTF-8 where it names none, or one that nobody knows.
    static func encoding(of response: URLResponse) -> String.Encoding {
        guard let name = response.textEncodingName else { return .utf8 }
        return encoding(named: name) ?? .utf8
    }

    /// An IANA charset name as Foundation's encoding.
    static func encoding(named name: String) -> String.Encoding? {
        let bare = name.trimmingCharacters(in: CharacterSet(charactersIn: "\"' "))
        let text = CFStringCreateWithCString(
            kCFAllocatorDefault, bare, CFStringBuiltInEncodings.UTF8.rawValue)
        let encoding = CFStringConvertIANACharSetNameToEncoding(text)
        guard encoding != UInt32.max else { return nil }
        return String.Encoding(rawValue: UInt(CFStringConvertEncodingToNSStringEncoding(encoding)))
    }

    /// The text, or nil when the bytes are not in that encoding.
    static func string(_ data: Data, _ encoding: String.Encoding) -> String? {
        // Foundation on Linux knows EUC-JP by name only.
        encoding == .japaneseEUC
            ? converted(data, from: "EUC-JP") : String(data: data, encoding: encoding)
    }

    /// By the C library's converter.
    private static func converted(_ data: Data, from charset: String) -> String? {
        guard let converter = iconv_open("UTF-8", charset), Int(bitPattern: converter) != -1 else {
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
        return written.flatMap { count in
            String(validating: output.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
