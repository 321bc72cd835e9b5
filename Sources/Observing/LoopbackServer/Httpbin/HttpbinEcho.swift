import Foundation

/// httpbin's description of a request: the parts of its JSON.
struct HttpbinEcho {
    private let request: RecordedRequest

    init(_ request: RecordedRequest) {
        self.request = request
    }

    /// `args`, `headers`, `origin` and `url`.
    var short: [String: Any] {
        let query = Self.query(of: request.target)
        return [
            "args": Self.merged(Self.pairs(of: query)), "headers": headers, "origin": "127.0.0.1",
            "url": origin + request.target,
        ]
    }

    /// In addition `data`, `files`, `form` and `json`.
    var long: [String: Any] { short.merging(body) { _, new in new } }

    /// In addition `method`.
    var withMethod: [String: Any] { long.merging(["method": request.method]) { _, new in new } }

    /// The scheme and the `Host` field.
    var origin: String {
        (request.isSecure ? "https://" : "http://") + (request.headers["Host"] ?? "127.0.0.1")
    }

    /// The header fields by name; each word of a name has a capital, repeated ones are joined by
    /// commas.
    var headers: [String: String] {
        let fields = request.headers.all.map { field in
            let words = field.name.split(separator: "-", omittingEmptySubsequences: false)
            return (words.map(Self.capitalized).joined(separator: "-"), field.value)
        }
        return Dictionary(fields) { "\($0),\($1)" }
    }

    /// A first capital and small letters. `capitalized` would load a language's tables.
    private static func capitalized(_ word: Substring) -> String {
        word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }

    // MARK: The body

    private var body: [String: Any] {
        var result: [String: Any] = [
            "data": "", "files": [String: Any](), "form": [String: Any](), "json": NSNull(),
        ]
        let type = request.headers["Content-Type"] ?? ""
        let kind = type.prefix { $0 != ";" }.lowercased()
        if kind == "application/x-www-form-urlencoded" {
            let text = String(decoding: request.body, as: UTF8.self)
            result["form"] = Self.merged(Self.pairs(of: text))
        } else if kind == "multipart/form-data", let parts = HttpbinMultipart(type, request.body) {
            result["form"] = Self.merged(parts.fields)
            result["files"] = Self.merged(parts.files.map { ($0.name, Self.text(of: $0.data)) })
        } else {
            result["data"] = Self.text(of: request.body)
            let options: JSONSerialization.ReadingOptions = .fragmentsAllowed
            result["json"] =
                (try? JSONSerialization.jsonObject(with: request.body, options: options))
                ?? NSNull()
        }
        return result
    }

    /// UTF-8 as text, other bytes as a data URL.
    private static func text(of data: Data) -> String {
        String(data: data, encoding: .utf8)
            ?? "data:application/octet-stream;base64,\(data.base64EncodedString())"
    }

    // MARK: Names and values

    /// The query of a target; empty when it has none.
    static func query(of target: String) -> String {
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return halves.count > 1 ? String(halves[1]) : ""
    }

    /// The pairs of a query or form in order; a bare name has an empty value.
    static func pairs(of text: String) -> [(String, String)] {
        text.split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(halves[0]), halves.count > 1 ? decoded(halves[1]) : "")
        }
    }

    /// One value for each name; a list where the name is repeated.
    static func merged(_ pairs: [(String, String)]) -> [String: Any] {
        Dictionary(grouping: pairs, by: \.0).mapValues { group in
            group.count == 1 ? group[0].1 as Any : group.map(\.1)
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacingOccurrences(of: "+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }
}
