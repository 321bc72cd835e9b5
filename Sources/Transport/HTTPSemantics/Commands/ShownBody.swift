import EventRecorder
package import Foundation

/// The text of a body for descriptions, with `REDACTED` in place of secrets.
package enum ShownBody {
    /// Bytes that are no UTF-8 are shown as U+FFFD; nil where there is no body.
    package static func text(_ data: Data?) -> String? {
        data.map { json($0) ?? form(String(decoding: $0, as: UTF8.self)) }
    }

    /// JSON rewritten without its secrets; nil where it has none.
    private static func json(_ data: Data) -> String? {
        guard let first = data.first(where: { !" \t\r\n".utf8.contains($0) }),
            "{[".utf8.contains(first),
            let object = try? JSONSerialization.jsonObject(with: data)
        else { return nil }
        var hasSecret = false
        let shown = masked(object, &hasSecret)
        guard hasSecret,
            let bytes = try? JSONSerialization.data(
                withJSONObject: shown, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func masked(_ value: Any, _ hasSecret: inout Bool) -> Any {
        switch value {
        case let members as [String: Any]:
            var result: [String: Any] = [:]
            for (name, value) in members {
                if Redaction.isSecret(name), !(value is NSNull) {
                    hasSecret = true
                    result[name] = Redaction.mark
                } else {
                    result[name] = masked(value, &hasSecret)
                }
            }
            return result
        case let elements as [Any]:
            return elements.map { masked($0, &hasSecret) }
        default:
            return value
        }
    }

    /// A form has no white space; in other texts only URLs are redacted.
    private static func form(_ text: String) -> String {
        if text.contains(where: \.isWhitespace) { return Redaction.text(text) }
        return String(Redaction.address("?" + text).dropFirst())
    }
}
