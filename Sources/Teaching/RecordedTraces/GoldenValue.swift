import CoreFoundation
package import Foundation

/// A value of a recording: JSON, in which an object whose key begins with `$` stands for a value
/// that JSON lacks.
///
/// Values are equal if they were written alike: `true`, `1` and `1.0` are three, and so are `0`,
/// `0.0` and `-0.0`. A `$double` is equal by its number, however many digits it has.
package indirect enum GoldenValue: Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([GoldenValue])
    case object([String: GoldenValue])

    /// Parses a document. `JSONDecoder` would read `1.0` as an integer.
    package init(json: Data) throws {
        self.init(
            parsed: try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed))
    }

    private init(parsed: Any) {
        switch parsed {
        case let number as NSNumber: self.init(number)
        case let text as String: self = .string(text)
        case let elements as [Any]: self = .array(elements.map(GoldenValue.init(parsed:)))
        case let members as [String: Any]:
            self = .object(members.mapValues(GoldenValue.init(parsed:)))
        default: self = .null
        }
    }

    /// A boolean, an integer or a double, by the number's type; an integer beyond `Int` is a double.
    package init(_ number: NSNumber) {
        if CFGetTypeID(number) == CFBooleanGetTypeID() {
            self = .bool(number.boolValue)
        } else if !"df".utf8.contains(UInt8(bitPattern: number.objCType.pointee)),
            let whole = Int(exactly: number)
        {
            self = .int(whole)
        } else {
            self = .double(number.doubleValue)
        }
    }

    /// The member of an object; nil where there is none.
    package subscript(_ name: String) -> GoldenValue? {
        if case .object(let members) = self { return members[name] }
        return nil
    }

    package var members: [String: GoldenValue] {
        if case .object(let members) = self { return members }
        return [:]
    }

    package var elements: [GoldenValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    package var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    package var int: Int? {
        if case .int(let value) = self { return value }
        return nil
    }

    package var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// Whether it is a `$nil`: the argument was nil.
    package var isNil: Bool { self["$nil"] != nil }
}

extension GoldenValue: Hashable {
    package static func == (one: GoldenValue, other: GoldenValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
        case (.string(let one), .string(let other)):
            one.unicodeScalars.elementsEqual(other.unicodeScalars)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)):
            if let one = typedDouble(one), let other = typedDouble(other) {
                one.bitPattern == other.bitPattern
            } else {
                one == other
            }
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(Set(members.keys))
        }
    }

    private static func typedDouble(_ members: [String: GoldenValue]) -> Double? {
        members.count == 1 ? members["$double"]?.string.flatMap(Double.init) : nil
    }
}

extension GoldenValue: CustomStringConvertible {
    /// A text as it is; anything else as its description.
    package var text: String { string ?? description }

    package var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .object(let values):
            isNil
                ? "nil"
                : "{"
                    + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                    .joined(separator: ", ") + "}"
        }
    }
}

extension GoldenValue: Codable {
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
        } else if let elements = try? value.decode([GoldenValue].self) {
            self = .array(elements)
        } else {
            self = .object(try value.decode([String: GoldenValue].self))
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
