import Foundation
import ParitySupport

/// The sentence about the first value, in the order of keys, that a format cannot hold.
enum UnwritableValue {
    /// Nil where everything can be written as JSON.
    static func json(_ parameters: GoldenValue?) -> String? {
        guard let parameters else { return nil }
        if let what = refusal(parameters, [], jsonType) {
            return "\(what) cannot be written as JSON"
        }
        return isContainer(parameters) ? nil : "the top of JSON must be a dictionary or an array"
    }

    /// Nil where everything can be written as a property list.
    static func propertyList(_ parameters: GoldenValue?) -> String? {
        parameters.flatMap { refusal($0, [], propertyListType) }
            .map { "\($0) cannot be written as a property list" }
    }

    /// The type of a value that JSON lacks.
    private static func jsonType(_ value: GoldenValue) -> String? {
        if value["$date"] != nil { return "Date" }
        if value["$data"] != nil { return "Data" }
        if value["$url"] != nil { return "URL" }
        if let number = value.number, !number.isFinite { return "NSNumber" }
        return nil
    }

    /// The type of a value that property lists lack.
    private static func propertyListType(_ value: GoldenValue) -> String? {
        if value["$null"] != nil || value == .null { return "NSNull" }
        return value["$url"] != nil ? "URL" : nil
    }

    private static func isContainer(_ value: GoldenValue) -> Bool {
        switch value {
        case .array: true
        case .object(let members):
            members["$pairs"] != nil || members["$mutable"].map(isContainer) ?? false
                || !members.keys.contains { $0.hasPrefix("$") }
        default: false
        }
    }

    private static func refusal(
        _ value: GoldenValue, _ path: [String], _ lacking: @escaping (GoldenValue) -> String?
    ) -> String? {
        let place = path.isEmpty ? "the top" : "'\(path.joined(separator: "."))'"
        if let type = lacking(value) { return "a value of type \(type) at \(place)" }
        if value["$set"] != nil { return "a set at \(place)" }
        if let inner = value["$mutable"] { return refusal(inner, path, lacking) }
        if case .array(let elements) = value {
            return elements.enumerated().lazy
                .compactMap { refusal($1, path + ["\($0)"], lacking) }.first
        }
        if let pairs = value["$pairs"]?.elements.map(\.elements) {
            return pairs.lazy.filter { $0.count == 2 }.compactMap { pair in
                guard let key = pair[0].string else {
                    let text = pair[0].number.map { String(format: "%.16g", $0) } ?? ""
                    return "the key \(text), which is no text, at \(place)"
                }
                return refusal(pair[1], path + [key], lacking)
            }.first
        }
        guard case .object(let members) = value,
            !members.keys.contains(where: { $0.hasPrefix("$") })
        else { return nil }
        return members.sorted { $0.key < $1.key }.lazy
            .compactMap { refusal($0.value, path + [$0.key], lacking) }.first
    }
}

/// Bodies that Foundation writes, in other digits than the recorder's did.
enum FoundationBody {
    /// What Foundation here writes for the parameters, where that says what was recorded.
    static func body(of recorded: RecordedCase) -> GoldenValue? {
        guard let parameters = recorded.input["params"]?.object,
            let old = recorded.output["bodyBase64"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let new = written(parameters, recorded.input)
        else { return nil }
        let isSame = says(old, new, inFloats: holdsFloat(recorded.input["params"] ?? .null))
        return isSame ? .string(new.base64EncodedString()) : nil
    }

    private static func written(_ object: Any, _ input: GoldenValue) -> Data? {
        switch input["serializer"]?.string {
        case "json" where JSONSerialization.isValidJSONObject(object):
            let options = JSONSerialization.WritingOptions(
                rawValue: UInt(input["writingOptions"]?.int ?? 0))
            return try? JSONSerialization.data(
                withJSONObject: object, options: options.union(.sortedKeys))
        case "plist":
            let format = PropertyListSerialization.PropertyListFormat(
                rawValue: UInt(input["format"]?.int ?? 100))
            return try? PropertyListSerialization.data(
                fromPropertyList: object, format: format ?? .xml, options: 0)
        default: return nil
        }
    }

    private static func holdsFloat(_ value: GoldenValue) -> Bool {
        value["$float"] != nil || value.members.values.contains(where: holdsFloat)
            || value.elements.contains(where: holdsFloat)
    }

    /// Whether two bodies hold the same: numbers of the same kind and value, `true` no 1.
    static func says(_ one: Data, _ other: Data, inFloats: Bool) -> Bool {
        guard let one = value(one), let other = value(other) else { return false }
        return isSame(one, other, inFloats)
    }

    private static func isSame(_ one: GoldenValue, _ other: GoldenValue, _ inFloats: Bool) -> Bool {
        switch (one, other) {
        case (.object(let one), .object(let other)):
            one.count == other.count
                && one.allSatisfy { key, value in
                    other[key].map { isSame(value, $0, inFloats) } ?? false
                }
        case (.array(let one), .array(let other)):
            one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1, inFloats) }
        case (.double(let one), .double(let other)) where inFloats: Float(one) == Float(other)
        default: one == other
        }
    }

    private static func value(_ data: Data) -> GoldenValue? {
        if let json = try? GoldenValue(json: data) { return json }
        let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        return list.map { Seen.plain($0) }
    }
}
