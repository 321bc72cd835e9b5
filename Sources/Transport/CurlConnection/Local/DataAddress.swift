import Foundation

/// Pure: what a `data:` address holds (RFC 2397).
struct DataAddress {
    /// `text/plain` where the address names none.
    let mimeType: String
    /// The parameter `charset`; `US-ASCII` where there is neither a type nor a charset.
    let charset: String?
    let data: Data

    /// - Returns: nil where it is none: there is no comma, an escape has no two digits, Base64 is not.
    init?(_ url: URL) {
        let text = url.absoluteString
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else {
            return nil
        }
        // A fragment is not part of it.
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
        guard let mimeType = Self.mimeType(type), let bytes = Self.unescaped(body.utf8) else {
            return nil
        }
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

    private static func unescaped(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// Base64 with or without its padding; white space does not count.
    private static func decoded(_ bytes: [UInt8]) -> Data? {
        var text = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if !text.contains(UInt8(ascii: "=")) {
            text += Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        }
        return Data(base64Encoded: Data(text))
    }
}
