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
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return Int(text) ?? (isNegative ? .min : .max)
    }

    private static func pair(_ part: Substring.UTF8View) -> (name: String, value: String?) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
            return (FieldValue.trimmed(part), nil)
        }
        return (
            FieldValue.trimmed(part[..<equals]),
            FieldValue.trimmed(part[part.index(after: equals)...])
        )
    }
}

/// The parts of a request's URL that decide which cookies it carries and may set.
struct CookieOrigin {
    let host: CanonicalHost
    /// The path as it is sent: escaped, without dot segments and query.
    let path: String
    /// True for https only; cleartext to the local machine is not secure either.
    let isSecure: Bool

    /// - Returns: nil for a URL that is neither http nor https.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = CanonicalHost(of: url)
        else { return nil }
        self.host = host
        isSecure = scheme == "https"
        path = url.absoluteURL.standardized.path(percentEncoded: true)
    }

    /// RFC 6265 section 5.1.4: the path up to its last slash.
    var defaultPath: String {
        guard path.utf8.first == UInt8(ascii: "/"),
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// RFC 6265 section 5.1.4.
    static func path(_ path: String, matches cookiePath: String) -> Bool {
        let path = path.isEmpty ? "/" : path
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let rest = path.utf8.dropFirst(cookiePath.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
            || cookiePath.utf8.last == UInt8(ascii: "/")
    }
}
