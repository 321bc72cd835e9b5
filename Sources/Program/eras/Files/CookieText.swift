import Foundation
import FoundationNetworking

/// Cookies in the Netscape format of curl, wget and browsers' exports: a line for each, with seven
/// fields that tabs separate.
enum CookieText {
    private static let httpOnlyMark = "#HttpOnly_"

    /// The cookies of a file. Other lines are skipped, as curl does.
    static func cookies(_ text: String) -> [HTTPCookie] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let isHTTPOnly = line.hasPrefix(httpOnlyMark)
            let line = isHTTPOnly ? line.dropFirst(httpOnlyMark.count) : line
            guard !line.hasPrefix("#") else { return nil }
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(
                String.init)
            guard fields.count == 7 else { return nil }
            let host = fields[0].hasPrefix(".") ? String(fields[0].dropFirst()) : fields[0]
            var properties: [HTTPCookiePropertyKey: Any] = [
                .name: fields[5], .value: fields[6], .path: fields[2],
                .domain: fields[1] == "TRUE" ? "." + host : host,
            ]
            if let seconds = Double(fields[4]), seconds > 0 {
                properties[.expires] = Date(timeIntervalSince1970: seconds)
            }
            // For Foundation these two are true if they exist.
            if fields[3] == "TRUE" { properties[.secure] = "TRUE" }
            if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
            return HTTPCookie(properties: properties)
        }
    }

    /// A file that curl can read; a session cookie has the time 0.
    static func text(_ cookies: [HTTPCookie]) -> String {
        let lines = cookies.filter { !hasControl($0) }.map { cookie in
            [
                (cookie.isHTTPOnly ? httpOnlyMark : "") + cookie.domain,
                cookie.domain.hasPrefix(".") ? "TRUE" : "FALSE", cookie.path,
                cookie.isSecure ? "TRUE" : "FALSE",
                "\(cookie.expiresDate.map { Int64(max(0, min($0.timeIntervalSince1970, 1e12))) } ?? 0)",
                cookie.name, cookie.value,
            ].joined(separator: "\t")
        }
        return "# Netscape HTTP Cookie File\n" + lines.sorted().map { $0 + "\n" }.joined()
    }

    /// Whether a cookie has control characters, with which a server could add lines to the file.
    private static func hasControl(_ cookie: HTTPCookie) -> Bool {
        (cookie.name + cookie.value + cookie.path + cookie.domain).unicodeScalars.contains {
            $0.properties.generalCategory == .control
        }
    }

    /// The pairs of a text such as `a=1; b=2`; nil where it is no list of pairs.
    static func pairs(_ text: String) -> [(name: String, value: String)]? {
        let pairs = text.split(separator: ";").map { pair -> (name: String, value: String)? in
            let pair = pair.trimmingCharacters(in: .whitespaces)
            guard let sign = pair.firstIndex(of: "="), sign != pair.startIndex else { return nil }
            return (String(pair[..<sign]), String(pair[pair.index(after: sign)...]))
        }
        return pairs.isEmpty || pairs.contains { $0 == nil } ? nil : pairs.compactMap { $0 }
    }
}
