import Foundation
import ParitySupport

/// A parameter as a field of a form.
struct FormField {
    /// Such as `user[name]`.
    let name: String
    /// Nil for a value that is no text.
    let text: String?

    /// The fields of parameters in their order; the keys of dictionaries by their text.
    static func fields(of parameters: GoldenValue?) -> [FormField] {
        parameters.map { fields(of: $0, named: nil) } ?? []
    }

    private static func fields(of value: GoldenValue, named name: String?) -> [FormField] {
        switch value {
        case .array(let elements):
            return elements.flatMap { fields(of: $0, named: (name ?? "(null)") + "[]") }
        case .object(let members) where !members.keys.contains(where: { $0.hasPrefix("$") }):
            return members.sorted { $0.key < $1.key }.flatMap { key, value in
                fields(of: value, named: name.map { "\($0)[\(key)]" } ?? key)
            }
        default:
            return [FormField(name: name ?? "", text: value.object as? String)]
        }
    }

    /// The body of a form of plain fields alone; nil if there is any other part.
    static func body(of parts: [GoldenValue]) -> Data? {
        var body = Data()
        let boundary = "--\(MultipartCases.boundary)"
        for part in parts where part["t"] != "throttle" {
            guard part["t"] == "form", let name = part["name"]?.string,
                let bytes = part["data"]?.data
            else { return nil }
            let head = "\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
            body += Data(head.utf8) + bytes + Data("\r\n".utf8)
        }
        return body.isEmpty ? nil : body + Data("\(boundary)--\r\n".utf8)
    }
}

/// Names in a recorded body, which the original pasted in raw.
enum EscapedNames {
    /// The recorded body with its names escaped; nil where none needs it.
    static func body(of recorded: RecordedCase) -> Data? {
        guard let old = recorded.output["bodyBase64"]?.string.flatMap({ Data(base64Encoded: $0) }),
            // Every byte a character, since bodies need not be text.
            var text = String(data: old, encoding: .isoLatin1)
        else { return nil }
        let fields = FormField.fields(of: recorded.input["params"]).map { ("name", $0.name) }
        let raw = (fields + names(in: recorded)).filter { $0.1 != escaped($0.1) }
        guard !raw.isEmpty else { return nil }
        for (label, name) in raw {
            let bytes = String(data: Data(name.utf8), encoding: .isoLatin1) ?? ""
            text = text.replacingOccurrences(
                of: "; \(label)=\"\(bytes)\"", with: "; \(label)=\"\(escaped(bytes))\"",
                options: .literal)
        }
        return text.data(using: .isoLatin1)
    }

    private static func names(in recorded: RecordedCase) -> [(String, String)] {
        (recorded.input["parts"]?.elements ?? []).flatMap { part in
            let file =
                part["fileName"]?.object as? String
                ?? part["path"]?.string.map { URL(fileURLWithPath: $0).lastPathComponent }
            return [part["name"]?.object as? String].compactMap { $0 }.map { ("name", $0) }
                + [file].compactMap { $0 }.map { ("filename", $0) }
        }
    }

    /// As browsers write names (the HTML standard, "multipart/form-data encoding algorithm").
    private static func escaped(_ name: String) -> String {
        name.replacingOccurrences(of: "\"", with: "%22", options: .literal)
            .replacingOccurrences(of: "\r", with: "%0D", options: .literal)
            .replacingOccurrences(of: "\n", with: "%0A", options: .literal)
    }
}
