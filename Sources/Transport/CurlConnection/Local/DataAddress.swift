import Foundation
import HTTPSemantics

/// What a `data:` URL holds (RFC 2397).
struct DataAddress {
    /// `text/plain` where the URL names none.
    let mimeType: String
    /// The parameter `charset`; `US-ASCII` where there is neither a type nor a charset.
    let charset: String?
    let data: Data

    /// - Returns: nil without a comma, for an escape without two digits, and for broken Base64.
    init?(_ url: URL) {
        let text = url.absoluteString
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else {
            return nil
        }
        // The fragment is not part of the data.
        let body = text[text.index(after: comma)...].prefix { $0 != "#" }
        var words = text[text.index(text.startIndex, offsetBy: 5)..<comma]
            .split(separator: ";", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        guard !words.joined().contains("#") else { return nil }
        let isBase64 = words.last?.lowercased() == "base64"
        if isBase64 { words.removeLast() }
        let type = words.first ?? ""
        var charset = words.dropFirst().first { $0.lowercased().hasPrefix("charset=") }.map {
            String($0.dropFirst(8)).trimmingCharacters(in: ["\""])
        }
        if type.isEmpty, charset == nil { charset = "US-ASCII" }
        guard let mimeType = Self.mimeType(type), let bytes = URLEscape.decoded(body.utf8)
        else { return nil }
        (self.mimeType, self.charset) = (mimeType, charset?.removingPercentEncoding)
        guard isBase64 else {
            data = Data(bytes)
            return
        }
        guard let decoded = Self.decoded(bytes) else { return nil }
        data = decoded
    }

    private static func mimeType(_ text: String) -> String? {
        if text.isEmpty { return "text/plain" }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isToken) })
        else { return nil }
        return text.lowercased()
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"()<>@,;:\\\"/[]?=%".utf8.contains(byte)
    }

    /// Base64 with or without padding and white space.
    private static func decoded(_ bytes: [UInt8]) -> Data? {
        var text = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if !text.contains(UInt8(ascii: "=")) {
            text += Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        }
        return Data(base64Encoded: Data(text))
    }
}
