import Foundation
import ParitySupport

/// Values as the recorder passed them: Swift's own types, as `$` names say.
extension GoldenValue {
    /// The value, or nil for `$nil`.
    ///
    /// - Throws: `Unplayed` for a type that nothing here makes.
    func swiftValue() throws -> Any? {
        switch self {
        case .null: return NSNull()
        case .bool(let value): return value
        case .int(let value): return value
        case .double(let value): return value
        case .string(let text): return text
        case .array(let elements): return try elements.map { try $0.swiftValue() ?? NSNull() }
        case .object(let members):
            if let text = members["$repeat"]?.string {
                return String(repeating: text, count: members["n"]?.int ?? 0)
                    + (members["then"]?.string ?? "")
            }
            if members["$pattern"] != nil {
                return Data((0..<(members["n"]?.int ?? 0)).map { UInt8($0 % 251) })
            }
            guard members.count == 1, let (name, value) = members.first, name.hasPrefix("$") else {
                return try swiftMembers()
            }
            return try Self.swiftValue(String(name.dropFirst()), value)
        }
    }

    /// The members of an object.
    func swiftMembers() throws -> [String: Any] {
        try members.mapValues { try $0.swiftValue() ?? NSNull() }
    }

    /// Bytes: those of `$data`, `$pattern`, or a text in UTF-8.
    func swiftData() throws -> Data {
        switch try swiftValue() {
        case let data as Data: data
        case let text as String: Data(text.utf8)
        default: throw Unplayed("bytes \(self)")
        }
    }

    private static func swiftValue(_ type: String, _ value: GoldenValue) throws -> Any? {
        let text = value.string ?? value.int.map(String.init) ?? value.number.map { "\($0)" } ?? ""
        func whole<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
            guard let number = Number(text) else { throw Unplayed("\(type) \(value)") }
            return number
        }
        switch type {
        case "nil": return nil
        case "null": return NSNull()
        case "bool": return value.bool ?? (text == "true")
        case "int": return try whole(Int.self)
        case "int8": return try whole(Int8.self)
        case "int16": return try whole(Int16.self)
        case "int32": return try whole(Int32.self)
        case "int64": return try whole(Int64.self)
        case "uint": return try whole(UInt.self)
        case "uint8": return try whole(UInt8.self)
        case "uint16": return try whole(UInt16.self)
        case "uint32": return try whole(UInt32.self)
        case "uint64": return try whole(UInt64.self)
        case "double": return Double(text)
        case "float": return Float(text)
        case "decimal": return Decimal(string: text)
        case "nsdecimal": return NSDecimalNumber(string: text)
        case "nsnumber": return try number(value)
        case "fromJSON":
            let array = try JSONSerialization.jsonObject(with: Data(text.utf8))
            return (array as? [Any])?.first
        case "nsstring": return NSString(string: text)
        case "substring": return Substring(text)
        case "nsarray": return NSArray(array: try value.elements.map { try $0.swiftValue() ?? 0 })
        case "nsdictionary": return NSDictionary(dictionary: try value.swiftMembers())
        case "optional": return try optional(value)
        case "date": return Date(timeIntervalSince1970: value.number ?? 0)
        case "data": return Data(base64Encoded: text)
        case "url": return URL(string: text)
        case "set": return Set(value.elements.compactMap(\.string))
        case "range": return try range(text)
        case "pairs": return try pairs(value)
        default: return try collection(type, value)
        }
    }

    /// An `NSNumber` made from a value of that kind.
    private static func number(_ value: GoldenValue) throws -> NSNumber {
        guard let (kind, made) = value.members.first else { throw Unplayed("number \(value)") }
        if kind == "literal" {
            return made.string == "true" ? true : made.string == "false" ? false : 1
        }
        switch try swiftValue(kind, made) {
        case let flag as Bool where kind == "bool": return NSNumber(value: flag)
        case let number as Int8: return NSNumber(value: number)
        case let number as Int16: return NSNumber(value: number)
        case let number as Int32: return NSNumber(value: number)
        case let number as Int64: return NSNumber(value: number)
        case let number as UInt8: return NSNumber(value: number)
        case let number as UInt16: return NSNumber(value: number)
        case let number as UInt32: return NSNumber(value: number)
        case let number as UInt64: return NSNumber(value: number)
        case let number as UInt: return NSNumber(value: number)
        case let number as Float: return NSNumber(value: number)
        case let number as Double: return NSNumber(value: number)
        case let number as Int: return NSNumber(value: number)
        default: throw Unplayed("number \(value)")
        }
    }

    private static func optional(_ value: GoldenValue) throws -> Any {
        switch try value.swiftValue() {
        case nil: Optional<String>.none as Any
        case let text as String: Optional(text) as Any
        case let number as Int: Optional(number) as Any
        case let flag as Bool: Optional(flag) as Any
        case let other?: Optional(other) as Any
        }
    }

    private static func range(_ text: String) throws -> Range<Int> {
        let ends = text.components(separatedBy: "..<").compactMap { Int($0) }
        guard ends.count == 2, ends[0] <= ends[1] else { throw Unplayed("range \(text)") }
        return ends[0]..<ends[1]
    }

    private static func pairs(_ value: GoldenValue) throws -> Any {
        let pairs = value.elements.map(\.elements)
        let whole = pairs.compactMap { pair in
            pair.first?.int.flatMap { key in pair.last?.string.map { (key, $0) } }
        }
        guard whole.count == pairs.count else { throw Unplayed("pairs \(value)") }
        return Dictionary(whole) { $1 }
    }

    /// `array<String>`, `dictionary<Bool>`: a collection of that type, not of `Any`.
    private static func collection(_ type: String, _ value: GoldenValue) throws -> Any {
        let texts = value.elements.map { $0.string ?? $0.int.map(String.init) ?? "" }
        switch type {
        case "array<String>": return texts
        case "array<Int>": return texts.compactMap { Int($0) }
        case "array<Double>": return texts.compactMap { Double($0) }
        case "array<Bool>": return value.elements.compactMap(\.bool)
        case "dictionary<Bool>": return value.members.compactMapValues(\.bool)
        case "dictionary<String>": return value.members.compactMapValues(\.string)
        case "dictionary<Int>":
            return value.members.compactMapValues { $0.int ?? $0.string.flatMap { Int($0) } }
        default: throw Unplayed("$\(type)")
        }
    }

    fileprivate var number: Double? {
        switch self {
        case .int(let whole): Double(whole)
        case .double(let number): number
        default: nil
        }
    }
}
