import CoreFoundation
import Foundation

/// A value as the recordings hold it: JSON, where an object with a `$` name stands for what JSON
/// cannot say.
///
/// Values are equal if they were written alike: `true`, `1` and `1.0` are three, and so are `0`,
/// `0.0` and `-0.0`. A `$double` is equal by its number, however many digits it has.
indirect enum GoldenValue: Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([GoldenValue])
    case object([String: GoldenValue])

    /// A document; `JSONDecoder` would take `1.0` for a whole number.
    init(json: Data) throws {
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

    /// A number by its type; one beyond `Int` is a double.
    init(_ number: NSNumber) {
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
    subscript(_ name: String) -> GoldenValue? {
        if case .object(let members) = self { return members[name] }
        return nil
    }

    var members: [String: GoldenValue] {
        if case .object(let members) = self { return members }
        return [:]
    }

    var elements: [GoldenValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var int: Int? {
        if case .int(let value) = self { return value }
        return nil
    }

    var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The bytes of a `$data`, else nil.
    var data: Data? {
        self["$data"]?.string.flatMap { Data(base64Encoded: $0) }
    }

    /// The same with another text in place of one, in every text within.
    func replacing(_ text: String, with other: String) -> GoldenValue {
        switch self {
        case .string(let whole): .string(whole.replacingOccurrences(of: text, with: other))
        case .array(let elements): .array(elements.map { $0.replacing(text, with: other) })
        case .object(let members): .object(members.mapValues { $0.replacing(text, with: other) })
        default: self
        }
    }

    /// Whether it is a `$nil`: the argument was not there.
    var isNil: Bool { self["$nil"] != nil }
}

extension GoldenValue: Equatable {
    static func == (one: GoldenValue, other: GoldenValue) -> Bool {
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

    private static func typedDouble(_ members: [String: GoldenValue]) -> Double? {
        members.count == 1 ? members["$double"]?.string.flatMap(Double.init) : nil
    }
}

// MARK: - As Foundation has it

extension GoldenValue {
    /// The object that the recorder passed; nil for `$nil`.
    var object: Any? {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .string(let value): value
        case .array(let values): values.map { $0.object ?? NSNull() }
        case .object(let members): Self.object(of: members)
        }
    }

    private static func object(of members: [String: GoldenValue]) -> Any? {
        if members.count <= 3, let text = members["$repeat"]?.string {
            let tail = members["then"]?.object as? String ?? ""
            return String(repeating: text, count: members["n"]?.int ?? 0) + tail
        }
        guard members.count == 1, let (name, value) = members.first, name.hasPrefix("$") else {
            return members.compactMapValues(\.object)
        }
        let text = value.string ?? value.int.map(String.init) ?? ""
        return switch name {
        case "$nil": nil
        case "$null": NSNull()
        case "$bool":
            NSNumber(value: value.bool ?? (value.int == 1 || text == "YES" || text == "true"))
        case "$int": Int(text).map(NSNumber.init(value:))
        case "$uint": UInt(text).map(NSNumber.init(value:))
        case "$double": Double(text).map(NSNumber.init(value:))
        case "$float": Float(text).map(NSNumber.init(value:))
        case "$data": Data(base64Encoded: text)
        case "$date": Date(timeIntervalSince1970: seconds(value))
        case "$url": URL(string: text)
        case "$set": NSSet(array: value.elements.compactMap(\.object))
        case "$u16": units(value)
        case "$pairs": dictionary(value)
        case "$mutable": mutable(value.object)
        default: members.compactMapValues(\.object)
        }
    }

    /// Seconds or another number with a fraction; nil for what is no number.
    var number: Double? {
        switch self {
        case .int(let whole): Double(whole)
        case .double(let number): number
        default: members.count == 1 ? (object as? NSNumber)?.doubleValue : nil
        }
    }

    private static func seconds(_ value: GoldenValue) -> TimeInterval {
        switch value {
        case .int(let seconds): TimeInterval(seconds)
        case .double(let seconds): seconds
        default: value.string.flatMap(TimeInterval.init) ?? 0
        }
    }

    private static func units(_ value: GoldenValue) -> NSString {
        let units = value.elements.compactMap(\.int).map(UInt16.init(truncatingIfNeeded:))
        return NSString(characters: units, length: units.count)
    }

    private static func dictionary(_ value: GoldenValue) -> NSDictionary {
        let result = NSMutableDictionary()
        for pair in value.elements.map(\.elements) where pair.count == 2 {
            guard let key = pair[0].object as? AnyHashable, let object = pair[1].object else {
                continue
            }
            result[key] = object
        }
        return result
    }

    private static func mutable(_ object: Any?) -> Any? {
        switch object {
        case let text as String: NSMutableString(string: text)
        case let array as [Any]: NSMutableArray(array: array)
        case let dictionary as [String: Any]: NSMutableDictionary(dictionary: dictionary)
        case let set as NSSet: NSMutableSet(set: set)
        default: object
        }
    }
}

extension GoldenValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .int(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: GoldenValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, GoldenValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    /// An argument that was not there.
    static let absent: GoldenValue = ["$nil": true]

    /// Bytes in the recorder's form.
    init(_ data: Data) { self = ["$data": .string(data.base64EncodedString())] }
}

extension GoldenValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .object(let values):
            "{"
                + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                .joined(separator: ", ") + "}"
        }
    }
}
