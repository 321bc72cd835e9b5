/// Pure: a value of a recording.
package indirect enum TraceValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([TraceValue])
    case object([String: TraceValue])

    package var members: [String: TraceValue] {
        if case .object(let members) = self { return members }
        return [:]
    }

    package subscript(_ name: String) -> TraceValue? { members[name] }

    package var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// Whether it stands for an argument that was not there.
    package var isNil: Bool { self["$nil"] != nil }

    /// A text as it is; anything else as JSON has it.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .array(let values): "[" + values.map(\.quoted).joined(separator: ", ") + "]"
        case .object(let members):
            isNil
                ? "nil"
                : "{"
                    + members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.quoted)" }
                    .joined(separator: ", ") + "}"
        }
    }

    private var quoted: String { string?.debugDescription ?? text }
}

extension TraceValue: Codable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let int = try? value.decode(Int.self) {
            self = .int(int)
        } else if let double = try? value.decode(Double.self) {
            self = .double(double)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let elements = try? value.decode([TraceValue].self) {
            self = .array(elements)
        } else {
            self = .object(try value.decode([String: TraceValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .int(let int): try value.encode(int)
        case .double(let double): try value.encode(double)
        case .string(let text): try value.encode(text)
        case .array(let elements): try value.encode(elements)
        case .object(let members): try value.encode(members)
        }
    }
}
