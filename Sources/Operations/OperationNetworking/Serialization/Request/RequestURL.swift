import EventRecorder
package import Foundation
import HTTPSemantics

/// Makes URLs of requests.
enum RequestURL {
    /// The text as a URL. Square brackets behind the host become `%5B` and `%5D`, as recorded of AFNetworking. Spaces,
    /// letters beyond ASCII and a `%` without digits are errors.
    ///
    /// - Throws: `badURL`.
    static func url(_ text: String) throws(RequestSerializationError) -> URL {
        if !text.isEmpty, let url = strict(text) ?? strict(withoutBrackets(text)) { return url }
        let shown = Redaction.text(String(text.prefix(200)))
        throw RequestSerializationError(.badURL, "'\(shown)' is no URL")
    }

    /// The URL with a query behind its own query and before its fragment; AFNetworking adds it behind the fragment. An
    /// empty query still adds the `?` or the `&`.
    ///
    /// - Throws: `badURL`.
    static func adding(_ query: String, to url: URL?) throws(RequestSerializationError) -> URL {
        guard let text = url?.absoluteString else {
            throw RequestSerializationError(.badURL, "the request has no URL")
        }
        let head = text.prefix { $0 != "#" }
        let fragment = text[head.endIndex...]
        return try self.url("\(head)\(head.contains("?") ? "&" : "?")\(query)\(fragment)")
    }

    private static func strict(_ text: String) -> URL? {
        URL(string: text, encodingInvalidCharacters: false)
    }

    private static func withoutBrackets(_ text: String) -> String {
        var path = text.startIndex
        if let authority = text.range(of: "//") {
            path = text[authority.upperBound...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        }
        let tail = text[path...]
            .replacingOccurrences(of: "[", with: "%5B")
            .replacingOccurrences(of: "]", with: "%5D")
        return text[..<path] + tail
    }
}

/// Makes the URL of a request from a manager's base URL and a path (RFC 3986 section 5).
package enum RequestPath {
    /// The base URL with a slash at the end of its path, unless that is empty or the URL ends in one.
    package static func normalized(_ base: URL) -> URL {
        base.path.isEmpty || base.absoluteString.hasSuffix("/")
            ? base : base.appendingPathComponent("")
    }

    /// A path resolved against a base URL, as a string.
    ///
    /// - Throws: `RequestSerializationError` for a path that is no URL and must be escaped first: one with a
    ///   space, a character beyond ASCII or a `%` without two digits. AFNetworking crashes.
    package static func resolve(_ path: String, against base: URL?) throws -> String {
        // Foundation on Linux does not resolve these two, which mean the base URL.
        if let base, path.isEmpty || path == "//" { return base.absoluteString }
        let alone = try RequestURL.url(path)
        guard let base else { return alone.absoluteString }
        // `alone` is already escaped.
        guard let url = WrittenURL.url(alone.absoluteString, relativeTo: base) else {
            throw RequestSerializationError(.badURL, "'\(Redaction.text(path))' is no URL")
        }
        return url.absoluteString
    }
}
