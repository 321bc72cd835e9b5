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
        guard RequestField.isValue(text) else { return nil }
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

    /// Section 5.2.2; a number that is too large for an `Int` counts as the largest, or the smallest.
    private static func seconds(_ text: String) -> Int? {
        guard text.hasPrefix("-") else { return FieldValue.clampedNumber(text[...]) }
        return FieldValue.clampedNumber(text.dropFirst()).map { _ in Int(text) ?? .min }
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
    /// The path, escaped, without dot segments, which the request line has, and without query.
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

/// The dates of cookies, which have a format of their own (RFC 6265 section 5.1.1).
struct CookieDate {
    private typealias Token = Substring.UTF8View

    private var time: HTTPDate.Time?
    private var day: Int32?
    /// January is 0.
    private var month: Int?
    private var year: Int32?

    /// The date in a text; nil where the algorithm fails or there is no such day.
    static func date(_ text: String) -> Date? {
        var date = CookieDate()
        for token in text.utf8.split(whereSeparator: isDelimiter) { date.take(token) }
        return date.checked
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Step 2: a token is the first missing part that it can be read as.
    private mutating func take(_ token: Token) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token, digits: 1...2) {
            day = found
        } else if month == nil, let found = HTTPDate.month(token.prefix(3)) {
            month = found
        } else if year == nil, let found = Self.number(token, digits: 2...4) {
            year = found
        }
    }

    /// Steps 3 to 6.
    private var checked: Date? {
        guard let time, let day, let month, let year = fullYear, year >= 1601,
            (1...31).contains(day), time.hour <= 23, time.minute <= 59, time.second <= 59
        else { return nil }
        return HTTPDate.date(day, month, year, time)
    }

    private var fullYear: Int32? {
        guard let year else { return nil }
        return switch year {
        case 70...99: year + 1900
        case 0...69: year + 2000
        default: year
        }
    }

    private static func time(_ token: Token) -> HTTPDate.Time? {
        let fields = token.split(
            separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[..<2].joined().allSatisfy(\.isASCIIDigit),
            let hour = number(fields[0], digits: 1...2),
            let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// The number that a token begins with; the rest of the token is ignored.
    private static func number(_ token: Token, digits: ClosedRange<Int>) -> Int32? {
        let number = token.prefix(while: \.isASCIIDigit)
        return digits.contains(number.count) ? Int32(Substring(number)) : nil
    }
}
