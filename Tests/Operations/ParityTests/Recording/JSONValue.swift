import ParitySupport

/// A JSON value as the recordings of scenarios hold it; yes and no are 1 and 0 there.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ value: GoldenValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .int(let number): .int(number)
            case .double(let number): .double(number)
            case .string(let text): .string(text)
            case .array(let values): .array(values.map(JSONValue.init))
            case .object(let members): .object(members.mapValues(JSONValue.init))
            }
    }

    /// The text of a string, else nil.
    var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// A whole number, else nil.
    var int: Int? {
        if case .int(let value) = self { return value }
        return nil
    }

    /// The members of an object, else none.
    var members: [String: JSONValue] {
        if case .object(let members) = self { return members }
        return [:]
    }
}

extension JSONValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .object(let values): "{" + Self.text(values) + "}"
        }
    }

    /// Members as `name=value`, sorted by name.
    static func text(_ members: [String: JSONValue]) -> String {
        members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}

extension JSONValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByNilLiteral, ExpressibleByDictionaryLiteral
{
    init(integerLiteral value: Int) { self = .int(value) }
    init(stringLiteral value: String) { self = .string(value) }
    init(nilLiteral: ()) { self = .null }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    /// Yes and no as the recordings write them.
    init(_ flag: Bool) { self = .int(flag ? 1 : 0) }

    /// A text, or null.
    init(_ text: String?) { self = text.map { .string($0) } ?? .null }
}
