package import Foundation

/// A URL from text that a user or a server wrote.
///
/// `URL(string:)` escapes each `%` of a component again as soon as anything else in it is illegal,
/// so `/my file%2Fa` becomes another URL. Here only illegal bytes are escaped, as in curl, wget and
/// browsers.
package enum WrittenURL {
    /// The URL, or the reference resolved against a base.
    ///
    /// Escapes stay as they are; bytes that RFC 3986 does not allow in a component are escaped as
    /// UTF-8, brackets outside the host too. A `%` without two digits becomes `%25`, as lenient
    /// servers read it. Foundation converts a host beyond ASCII to A-labels.
    ///
    /// - Parameter escapingControls: whether control characters are escaped as well.
    /// - Returns: nil for an empty text, one that is no URL, and one with a control character
    ///   unless those are escaped.
    package static func url(
        _ text: String, relativeTo base: URL? = nil, escapingControls: Bool = false
    ) -> URL? {
        escaped(text, escapingControls: escapingControls)
            .flatMap { URL(string: $0, relativeTo: base) }?.absoluteURL
    }

    /// The text with illegal bytes escaped; the host stays as it is.
    ///
    /// - Returns: nil for a text with a control character, unless those are escaped.
    package static func escaped(_ text: String, escapingControls: Bool = false) -> String? {
        guard escapingControls || text.areAllBytes({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        let bytes = Array(text.utf8)
        let rest = bytes[scheme(of: bytes).endIndex...]
        var result = Array(bytes[..<rest.startIndex])
        var tail = rest
        if rest.starts(with: "//".utf8) {
            let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
            let login = authority.lastIndex(of: UInt8(ascii: "@")) ?? authority.startIndex
            result += "//".utf8
            append(authority[..<login], to: &result, keeping: ":")
            result += authority[login...]
            tail = rest[authority.endIndex...]
        }
        let path = tail.prefix { !"?#".utf8.contains($0) }
        let query = tail[path.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        append(path, to: &result, keeping: ":@/")
        append(query, to: &result, keeping: ":@/?")
        if let sign = tail[query.endIndex...].first {
            result.append(sign)
            append(tail[query.endIndex...].dropFirst(), to: &result, keeping: ":@/?")
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// With its colon; empty where there is none.
    private static func scheme(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        let name = bytes.prefix { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
        guard let first = name.first, first.isASCIILetter, name.endIndex < bytes.endIndex,
            bytes[name.endIndex] == UInt8(ascii: ":")
        else { return bytes[..<0] }
        return bytes[...name.endIndex]
    }

    private static func append(
        _ bytes: ArraySlice<UInt8>, to result: inout [UInt8], keeping delimiters: StaticString
    ) {
        let kept = Array("-._~!$&'()*+,;=\(delimiters)".utf8)
        for (index, byte) in zip(bytes.indices, bytes) {
            let isLegal =
                byte.isASCIILetter || byte.isASCIIDigit || kept.contains(byte)
                || byte == UInt8(ascii: "%") && isEscape(bytes[index...])
            if isLegal {
                result.append(byte)
            } else {
                result += URLEscape.of(byte)
            }
        }
    }

    private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.dropFirst().prefix(2)
        return digits.count == 2 && digits.allSatisfy { $0.hexDigitValue != nil }
    }
}

/// `%2F` for a slash.
package enum URLEscape {
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func of(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// The bytes without escapes; nil where one has no two digits.
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension HeaderFields {
    /// The URL in the first line of a field, as text for `WrittenURL`.
    ///
    /// Bytes that are not UTF-8 are escaped one by one, as curl and browsers do, and not read as
    /// ISO 8859-1.
    package func address(of name: String) -> String? {
        var value: ArraySlice<UInt8>?
        forEachValue(of: name) { value = value ?? $0 }
        guard let value else { return nil }
        return String(validating: value, as: UTF8.self)
            ?? String(
                decoding: value.flatMap { $0 < 0x80 ? [$0] : URLEscape.of($0) },
                as: UTF8.self)
    }
}
