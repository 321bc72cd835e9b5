/// A JSON value as the recordings hold it.
enum JSONValue: Hashable, Sendable, Decodable {
    case null
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Int.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
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
