import Foundation

/// The contents of one Set-Cookie field, before its rules are checked (RFC 6265 section 5.2).
struct SetCookieField: Equatable {
    /// The most bytes of a name and value together, and of an attribute (6265bis section 5.6).
    static let (sizeLimit, attributeLimit) = (4096, 1024)

    var name: String
    var value: String
    var expires: Date?
    /// Seconds; zero or less expires the cookie at once.
    var maxAge: Int?
    /// As it was written, without one leading dot.
    var domain: String?
    /// Begins with a slash; nil means the default path.
    var path: String?
    var isSecure = false
    var isHTTPOnly = false

    /// - Returns: nil for a field that is ignored as a whole: no name, control bytes, too long.
    init?(_ text: String) {
        guard !Self.hasControls(text) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let (name, value) = parts.first.flatMap(Self.pair), let value, !name.isEmpty,
            name.utf8.count + value.utf8.count <= Self.sizeLimit
        else { return nil }
        self.name = name
        self.value = value
        for part in parts.dropFirst() {
            let (attribute, value) = Self.pair(part)
            take(attribute, value ?? "")
        }
    }

    /// Later attributes replace earlier ones; malformed and unknown ones are skipped.
    private mutating func take(_ attribute: String, _ value: String) {
        guard value.utf8.count <= Self.attributeLimit else { return }
        switch attribute.lowercased() {
        case "expires":
            expires = CookieDate.date(value) ?? expires
        case "max-age":
            maxAge = Self.seconds(value) ?? maxAge
        case "domain" where !value.isEmpty:
            domain = value.hasPrefix(".") ? String(value.dropFirst()) : value
        case "path":
            path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure":
            isSecure = true
        case "httponly":
            isHTTPOnly = true
        default:
            break
        }
    }

    /// Whether a text has control bytes other than the tab; they could end a field (6265bis section
    /// 5.6).
    static func hasControls(_ text: String) -> Bool {
        text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }

    /// Section 5.2.2; a number that is too large for an `Int` counts as the largest.
    private static func seconds(_ text: String) -> Int? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text) ?? (isNegative ? .min : .max)
    }

    private static func pair(_ part: Substring.UTF8View) -> (name: String, value: String?) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
            return (trimmed(part), nil)
        }
        return (trimmed(part[..<equals]), trimmed(part[part.index(after: equals)...]))
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) {
            rest = rest.dropLast()
        }
        return String(Substring(rest))
    }
}
