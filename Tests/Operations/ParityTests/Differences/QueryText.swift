import Foundation
import ParitySupport

/// Queries as text: where they stand, and in which bytes.
enum QueryText {
    /// A URL with a query behind the one that it has, and before its fragment.
    static func adding(_ query: some StringProtocol, to url: String) -> String {
        let head = url.prefix { $0 != "#" }
        return head + (head.contains("?") ? "&" : "?") + query + url[head.endIndex...]
    }

    /// `u#f?q`, which the original made of `u#f`, as `u?q#f`; nil for a URL without a fragment.
    static func moved(_ recorded: String, from url: String) -> String? {
        guard url.contains("#"), recorded.hasPrefix(url), recorded.count > url.count else {
            return nil
        }
        return adding(recorded.dropFirst(url.count).dropFirst(), to: url)
    }

    /// What the original escaped as UTF-8, in the bytes of the configured encoding: the request, or
    /// the error where the encoding lacks a character. Nil where it says nothing about the case.
    static func inEncoding(_ recorded: RecordedCase) -> (
        outcome: GoldenValue?, refusal: GoldenValue?
    )? {
        guard let number = recorded.input["config"]?["encoding"]?.int,
            let url = recorded.input["url"]?.string,
            SerializerInput.blockText(recorded.input) == nil,
            let seen = recorded.output["url"]?.string, seen.hasPrefix(url)
        else { return nil }
        let encoding = String.Encoding(rawValue: UInt(number))
        do {
            let query = seen.dropFirst(url.count)
            let escapedQuery = String(query.prefix(1)) + (try escaped(query.dropFirst(), encoding))
            var members: [String: GoldenValue] = ["url": .string(url + escapedQuery)]
            if let form = formText(recorded) {
                members["bodyBase64"] = .string(
                    Data(try escaped(form, encoding).utf8).base64EncodedString())
            }
            return (recorded.changed(members), nil)
        } catch {
            return (
                nil,
                .failure(3, "'\(error.text.prefix(80))' cannot be written in \(encoding)")
            )
        }
    }

    /// The body where it is a form; the serializers of JSON and property lists write Unicode.
    private static func formText(_ recorded: RecordedCase) -> Substring? {
        guard recorded.input["serializer"] == nil || recorded.input["serializer"] == "http",
            let body = recorded.output["bodyBase64"]?.string.flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        return String(decoding: body, as: UTF8.self)[...]
    }

    private struct Unencodable: Error {
        let text: String
    }

    /// Each name and value of a query, escaped as UTF-8, escaped anew.
    private static func escaped(
        _ query: Substring, _ encoding: String.Encoding
    ) throws(Unencodable) -> String {
        var result = ""
        var rest = query
        while !rest.isEmpty {
            let piece = rest.prefix { !"&=".contains($0) }
            result += try escapedPiece(piece, encoding)
            rest = rest[piece.endIndex...]
            result += rest.popFirst().map { String($0) } ?? ""
        }
        return result
    }

    private static func escapedPiece(
        _ piece: Substring, _ encoding: String.Encoding
    ) throws(Unencodable) -> String {
        guard piece.contains("%") else { return String(piece) }
        let text = piece.removingPercentEncoding ?? ""
        // No server reads UTF-16 in a query.
        let wide: [String.Encoding] = [.utf8, .unicode, .utf16, .utf32]
        guard !wide.contains(encoding) else { return String(piece) }
        guard let bytes = text.data(using: encoding) else { throw Unencodable(text: text) }
        return escaped(bytes)
    }

    /// Percent-encoded as 2.6.3 did: everything but letters, digits and `-._~/?`.
    static func escaped(_ bytes: Data) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?".utf8)
        return bytes.map {
            plain.contains($0) ? String(UnicodeScalar($0)) : String(format: "%%%02X", $0)
        }.joined()
    }
}

/// What half a surrogate pair becomes. The recorder's Foundation cut the text off before it.
enum LoneSurrogate {
    /// For one dictionary of texts.
    static func outcome(_ recorded: RecordedCase) -> GoldenValue? {
        guard let pairs = pairs(recorded.input["params"]), pairs.contains(where: \.isBroken),
            let url = recorded.input["url"]?.string
        else { return nil }
        let query = pairs.map { pair in
            [pair.key, pair.text].map { QueryText.escaped(Data($0.utf8)) }.joined(separator: "=")
        }.joined(separator: "&")
        let hasBody = !["GET", "HEAD", "DELETE"].contains(recorded.input["method"]?.string)
        guard hasBody else {
            return recorded.changed(["url": .string(QueryText.adding(query, to: url))])
        }
        switch recorded.input["serializer"]?.string {
        case nil, "http":
            return recorded.changed(["bodyBase64": base64(query)])
        case "json":
            let members = pairs.map { "\"\($0.key)\":\"\($0.text)\"" }.joined(separator: ",")
            return recorded.changed(["bodyBase64": base64("{\(members)}")])
        default: return nil
        }
    }

    private static func base64(_ text: String) -> GoldenValue {
        .string(Data(text.utf8).base64EncodedString())
    }

    private struct Pair {
        let key: String
        let text: String
        let isBroken: Bool
    }

    /// In the order of their keys; nil for other parameters.
    private static func pairs(_ parameters: GoldenValue?) -> [Pair]? {
        guard case .object(let members)? = parameters,
            !members.keys.contains(where: { $0.hasPrefix("$") })
        else { return nil }
        var pairs: [Pair] = []
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            if let units = value["$u16"]?.elements.compactMap(\.int) {
                let units = units.map(UInt16.init(truncatingIfNeeded:))
                let text = String(decoding: units, as: UTF16.self)
                pairs.append(Pair(key: key, text: text, isBroken: !text.utf16.elementsEqual(units)))
            } else if let text = value.string {
                pairs.append(Pair(key: key, text: text, isBroken: false))
            } else {
                return nil
            }
        }
        return pairs
    }
}
