import Foundation
import ParitySupport

/// Why encodings differ from their recordings, and how exactly.
enum ParameterRules {
    static let all: [ParityRule] = [
        ParityRule(
            .foundation, "A whole number has no point, as on the original's platform.",
            .on("components/double-1.0/brackets-numeric") { $1.replacing("1", with: "2") },
            allowed: whole),
        ParityRule(
            .statement(29), "The error for a value that JSON lacks has its place.",
            .on("json/nan/default-POST") { $1.replacing("at 'a'", with: "at 'b'") }
        ) { refusal($0, "JSON", jsonRefuses) },
        ParityRule(
            .statement(29), "The error for a value that property lists lack has its place.",
            .on("plist/url/default-POST") { $1.replacing("at 'a'", with: "at 'b'") }
        ) { refusal($0, "PropertyList", propertyListRefuses) },
    ]

    /// Recorded on Linux, where Foundation writes `1.0`.
    private static func whole(_ recorded: RecordedCase) -> GoldenValue? {
        guard let value = recorded.input["value"], value["$double"] ?? value["$float"] != nil,
            recorded.id.hasPrefix("components/")
        else { return nil }
        return recorded.output.replacing(".0", with: "")
    }

    /// The recorded failure of Foundation's writer, with the package's own cause.
    private static func refusal(
        _ recorded: RecordedCase, _ format: String, _ refuses: (Any) -> Bool
    ) -> GoldenValue? {
        let failure = format.prefix(1).lowercased() + format.dropFirst() + "EncodingFailed"
        let name = format == "JSON" ? "jsonEncodingFailed" : failure
        guard recorded.output["error"]?["AFError"] == .string("parameterEncodingFailed." + name),
            let value = recorded.input["object"] ?? recorded.input["parameters"],
            let (what, path) = try? place(of: refuses, in: value, [])
        else { return nil }
        let shown = format == "JSON" ? "JSON" : "a property list"
        let top = path.isEmpty ? "the top" : "'\(path.joined(separator: "."))'"
        let sentence = "\(what) at \(top) cannot be written as \(shown)"
        var error = recorded.output["error"]?.members ?? [:]
        error["localizedDescription"] = .string(
            "\(format) could not be encoded because of error:\n"
                + "The operation could not be completed. \(sentence)")
        error["underlyingError"] = [
            "domain": "com.alamofire.error.serialization.request", "code": 1,
        ]
        return recorded.changed(["error": .object(error)])
    }

    /// The first value that has no form, and where it is.
    private static func place(
        of refuses: (Any) -> Bool, in value: GoldenValue, _ path: [String]
    ) throws -> (String, [String])? {
        if case .array(let elements) = value {
            return try elements.indices.lazy.compactMap {
                try place(of: refuses, in: elements[$0], path + ["\($0)"])
            }.first
        }
        if case .object(let members) = value, members.keys.allSatisfy({ !$0.hasPrefix("$") }) {
            return try members.sorted { $0.key < $1.key }.lazy.compactMap {
                try place(of: refuses, in: $0.value, path + [$0.key])
            }.first
        }
        guard let made = try value.swiftValue() else { return nil }
        if made is Set<String> { return ("a set", path) }
        if let pairs = made as? [Int: String], let key = pairs.keys.first {
            return ("the key \(key), which is no text,", path)
        }
        return refuses(made) ? ("a value of type \(type(of: made))", path) : nil
    }

    private static func jsonRefuses(_ value: Any) -> Bool {
        switch value {
        case let number as Double: !number.isFinite
        case let number as Float: !number.isFinite
        case let number as NSNumber: !number.doubleValue.isFinite
        default: value is Date || value is Data || value is URL || value is Range<Int>
        }
    }

    private static func propertyListRefuses(_ value: Any) -> Bool {
        value is NSNull || value is URL || value is Range<Int>
            || Mirror(reflecting: value).displayStyle == .optional
    }
}
