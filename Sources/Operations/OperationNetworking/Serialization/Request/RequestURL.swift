import EventRecorder
import Foundation

/// The URL of a request: checked, and extended by a query.
enum RequestURL {
    /// The text as a URL. Only square brackets behind the host are repaired; they become `%5B` and
    /// `%5D` as recorded of the original. Spaces, letters beyond ASCII and a stray `%` are errors
    /// and do not stop the program (wound 38).
    ///
    /// - Throws: `badURL`.
    static func url(_ text: String) throws(RequestSerializationError) -> URL {
        if !text.isEmpty, let url = strict(text) ?? strict(withoutBrackets(text)) { return url }
        let shown = Redaction.text(String(text.prefix(200)))
        throw RequestSerializationError(.badURL, "'\(shown)' is no URL")
    }

    /// The URL with a query behind its own query and before its fragment, where the original put it
    /// behind the fragment (wound 59).
    ///
    /// An empty query still adds the `?` or the `&` (RQ-8).
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
