import Foundation
import ParitySupport

/// Compares what was seen with a recording, in the way that the recording's `compare` says.
enum RecordedComparison {
    static func isEqual(_ seen: GoldenValue, _ other: GoldenValue, _ comparison: String) -> Bool {
        normalized(seen, comparison) == normalized(other, comparison)
    }

    private static func normalized(_ value: GoldenValue, _ comparison: String) -> GoldenValue {
        let value = plain(value)
        guard case .object(var members) = value else { return value }
        // It says of `body` and `fileBody`, which are compared, that they differ, and they do not.
        members["fileEqualsBody"] = nil
        switch comparison {
        case "components in any order":
            let components = (members["components"]?.elements ?? [])
                .sorted { $0.description < $1.description }
            members["components"] = .array(components)
        case "pairs in any order":
            members["url"] = members["url"].map { sorted($0, after: "?") }
            members["body"] = members["body"].map(sortedBody)
        case "json-equal":
            members["body"] = members["body"].map { parsed($0, json) }
        case "plist-equal":
            members["body"] = members["body"].map { parsed($0, propertyList) }
        case "header lines of a part in any order":
            for name in ["body", "fileBody"] {
                members[name] = members[name].map(sortedHeaders)
            }
        case "-H lines in any order":
            members["debugDescription"] = members["debugDescription"].map(sortedFields)
        default: break
        }
        return .object(members)
    }

    /// What Foundation writes in no order of its own, sorted; and numbers as far as its JSON reader
    /// tells them apart.
    private static func plain(_ value: GoldenValue) -> GoldenValue {
        switch value {
        case .double(let number): .double(Double(String(format: "%.15g", number)) ?? number)
        case .string(let text): .string(plain(text))
        case .array(let elements): .array(elements.map(plain))
        case .object(let members): .object(members.mapValues(plain))
        default: value
        }
    }

    private static func plain(_ text: String) -> String {
        var text = text
        if text.contains("RequestEra.") {
            text = text.replacingOccurrences(of: "RequestEra.", with: "Alamofire.")
        }
        guard text.contains("UserInfo={") else { return text }
        return text.replacing(#/UserInfo={(.*)}/#) { match in
            "UserInfo={"
                + match.1.components(separatedBy: ", ").sorted().joined(separator: ", ") + "}"
        }
    }

    private static func sorted(_ text: GoldenValue, after mark: String) -> GoldenValue {
        guard let halves = text.string?.components(separatedBy: mark), halves.count == 2 else {
            return text
        }
        return [.string(halves[0]), pairs(halves[1])]
    }

    private static func pairs(_ text: String) -> GoldenValue {
        .array(text.components(separatedBy: "&").sorted().map { .string($0) })
    }

    private static func sortedBody(_ body: GoldenValue) -> GoldenValue {
        guard let text = body["utf8"]?.string else { return body }
        return .object(
            body.members.merging(["utf8": pairs(text)]) { $1 }.filter { $0.key != "base64" })
    }

    private static func parsed(
        _ body: GoldenValue, _ parse: (Data) throws -> Any
    ) -> GoldenValue {
        guard let data = body["base64"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let object = try? parse(data)
        else { return body }
        return .object(
            body.members.filter { !["base64", "utf8"].contains($0.key) }
                .merging(["parsed": SeenValue.object(object)]) { $1 })
    }

    private static func json(_ data: Data) throws -> Any {
        try JSONSerialization.jsonObject(with: data)
    }

    private static func propertyList(_ data: Data) throws -> Any {
        try PropertyListSerialization.propertyList(from: data, format: nil)
    }

    /// Lines between a boundary and an empty line are sorted.
    private static func sortedHeaders(_ body: GoldenValue) -> GoldenValue {
        guard let text = body["utf8"]?.string else { return body }
        var result: [String] = []
        var header: [String]?
        for line in text.components(separatedBy: "\r\n") {
            if let lines = header, !line.isEmpty {
                header = lines + [line]
            } else {
                result += (header ?? []).sorted() + [line]
                header = line.hasPrefix("--") && !line.hasSuffix("--") ? [] : nil
            }
        }
        result += (header ?? []).sorted()
        return .object(
            body.members.filter { $0.key != "base64" }
                .merging(["utf8": .string(result.joined(separator: "\r\n"))]) { $1 })
    }

    private static func sortedFields(_ text: GoldenValue) -> GoldenValue {
        let lines = (text.string ?? "").components(separatedBy: " \\\n\t")
        let fields = lines.filter { $0.hasPrefix("-H ") }.sorted()
        return [
            .array(lines.filter { !$0.hasPrefix("-H ") }.map { .string($0) }),
            .array(fields.map { .string($0) }),
        ]
    }
}
