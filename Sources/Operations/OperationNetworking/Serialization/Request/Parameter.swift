import CoreFoundation
import Foundation

/// One value of the parameters of a query.
enum Parameter {
    case dictionary([(key: String, value: Any)])
    case array([Any])
    /// The members in order.
    case set([Any])
    case leaf(QueryString.Value)

    /// How deep containers may be nested, as in `JSONSerialization`.
    static let deepest = 512

    static var tooDeep: RequestSerializationError {
        RequestSerializationError(
            .nestedTooDeeply,
            "the parameters are nested more than \(deepest) deep, or contain themselves")
    }

    init(_ value: Any) {
        switch ParameterShape(value) {
        case .dictionary(let members): self = .dictionary(Self.sorted(members))
        case .array(let elements): self = .array(elements)
        case .orderedSet(let elements): self = .set(elements)
        case .set(let elements):
            self = .set(Self.sorted(elements.map { (key: $0, value: $0) }).map(\.value))
        case .leaf(is NSNull): self = .leaf(.null)
        case .leaf(let data as Data): self = .leaf(.data(data))
        case .leaf(let value): self = .leaf(.text(ParameterText.text(of: value)))
        }
    }

    /// Sorts as `compare:` does. Canonically equal texts are sorted by code points, and equal texts by the types of the
    /// keys, so that the order is always the same.
    private static func sorted(
        _ members: [(key: Any, value: Any)]
    ) -> [(key: String, value: Any)] {
        let named = members.map { key, value in
            (key: ParameterText.text(of: key), original: key, value: value)
        }
        let ordered = named.sorted { one, other in
            switch order(one.key, other.key) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame:
                "\(type(of: one.original))" < "\(type(of: other.original))"
            }
        }
        return ordered.map { (key: $0.key, value: $0.value) }
    }

    private static func order(_ one: String, _ other: String) -> ComparisonResult {
        if !one.utf8.allSatisfy({ $0 < 0x80 }) || !other.utf8.allSatisfy({ $0 < 0x80 }) {
            let order = (one as NSString).compare(other)
            if order != .orderedSame { return order }
        }
        if one.utf8.elementsEqual(other.utf8) { return .orderedSame }
        return one.utf8.lexicographicallyPrecedes(other.utf8)
            ? .orderedAscending : .orderedDescending
    }
}

/// A value of the parameters with its elements, of Swift or of Foundation.
///
/// On Linux, casting a Swift collection to a class converts everything in it, and so does reading an element of a
/// Foundation collection. That takes quadratic time for nested parameters, and does not end if a container contains
/// itself. So Core Foundation, which converts nothing, reads the elements of objects.
enum ParameterShape {
    case dictionary([(key: Any, value: Any)])
    case array([Any])
    case set([Any])
    /// A set with an order.
    case orderedSet([Any])
    /// Neither nil nor a container; `NSNull` is a leaf.
    case leaf(Any)

    init(_ value: Any) {
        guard let value = Self.unwrapped(value) else {
            self = .leaf(NSNull())
            return
        }
        self =
            type(of: value) is any AnyObject.Type
            ? Self.shape(ofObject: value as AnyObject) : Self.shape(ofValue: value)
    }

    /// The value in optionals and `AnyHashable`s, at any depth; nil for none.
    static func unwrapped(_ value: Any) -> Any? {
        if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
            return unwrapped(hashable.base)
        }
        guard let optional = value as? any OptionalValue else { return value }
        return optional.wrapped.flatMap(unwrapped)
    }

    private static func shape(ofValue value: Any) -> ParameterShape {
        switch value {
        case is String, is Substring, is Character, is Data: .leaf(value)
        case let members as [AnyHashable: Any]:
            .dictionary(members.map { (key: $0.key.base, value: $0.value) })
        case let elements as [Any]: .array(elements)
        case let elements as Set<AnyHashable>: .set(elements.map(\.base))
        case let elements as any Collection: .array(self.elements(of: elements))
        default: .leaf(value)
        }
    }

    private static func elements(of collection: some Collection) -> [Any] {
        collection.map { $0 }
    }
}

/// `Optional` as the type of an `Any`.
private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { self }
}

// MARK: - Foundation's containers

extension ParameterShape {
    private typealias Pointers = [UnsafeRawPointer?]

    private static func shape(ofObject object: AnyObject) -> ParameterShape {
        switch object {
        case let dictionary as NSDictionary: return .dictionary(members(of: dictionary))
        case let array as NSArray: return .array(elements(of: array))
        case let set as NSSet:
            var members = Pointers(repeating: nil, count: set.count)
            CFSetGetValues(bridged(set, CFSet.self), &members)
            return .set(members.compactMap(element))
        case let set as NSOrderedSet: return .orderedSet(elements(of: NSArray(array: set.array)))
        default: return .leaf(object)
        }
    }

    private static func bridged<Bridged>(_ object: AnyObject, _ type: Bridged.Type) -> Bridged {
        // unsafeBitCast because Swift on Linux does not know that Core Foundation's objects are Foundation's.
        unsafeBitCast(object, to: type)
    }

    private static func elements(of array: NSArray) -> [Any] {
        let elements = bridged(array, CFArray.self)
        return (0..<array.count).compactMap { element(CFArrayGetValueAtIndex(elements, $0)) }
    }

    private static func members(of dictionary: NSDictionary) -> [(key: Any, value: Any)] {
        var keys = Pointers(repeating: nil, count: dictionary.count)
        var values = keys
        CFDictionaryGetKeysAndValues(bridged(dictionary, CFDictionary.self), &keys, &values)
        return zip(keys, values).compactMap { key, value in
            guard let key = element(key), let value = element(value) else { return nil }
            return (key: key, value: value)
        }
    }

    /// A container as an object, any other element as the original value.
    private static func element(_ pointer: UnsafeRawPointer?) -> Any? {
        guard let pointer else { return nil }
        let object = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        return switch object {
        case is NSDictionary, is NSArray, is NSSet, is NSOrderedSet: object
        default: NSArray(object: object).firstObject
        }
    }
}

/// The text of a value: Apple's `description`, which AFNetworking uses.
package enum ParameterText {
    /// The text of any value. Containers have one too, because a key may be a container, and sets are sorted by text.
    /// Four levels of them are enough for a stable order.
    static func text(of value: Any, levels: Int = 4) -> String {
        func inner(_ value: Any) -> String {
            levels > 0 ? text(of: value, levels: levels - 1) : ""
        }
        switch ParameterShape(value) {
        case .leaf(let value): return text(ofLeaf: value)
        case .array(let elements), .orderedSet(let elements):
            return "(\n    \(elements.map(inner).joined(separator: ",\n    "))\n)"
        case .set(let elements):
            return "{(\n    \(elements.map(inner).sorted().joined(separator: ",\n    "))\n)}"
        case .dictionary(let members):
            let lines = members.map { "    \(inner($0.key)) = \(inner($0.value));\n" }
            return "{\n\(lines.sorted().joined())}"
        }
    }

    private static func text(ofLeaf value: Any) -> String {
        switch value {
        case let text as String: text
        case let text as Substring: String(text)
        case let character as Character: String(character)
        case let decimal as Decimal: decimal.description
        case let number as NSNumber: text(of: number)
        case let number as any BinaryFloatingPoint: text(of: NSNumber(value: Double(number)))
        case is NSNull: "<null>"
        case let date as Date: date.description
        case let uuid as UUID: uuid.uuidString
        case let url as URL: url.absoluteString
        case let data as Data: hexadecimal(data)
        default: "\(value)"
        }
    }

    /// The text of a floating-point number of any type; nil for another value. A whole number has no point and no zero,
    /// as on Apple's platforms.
    package static func floatingPoint(_ value: Any) -> String? {
        switch value {
        case is Decimal, is NSDecimalNumber: return nil
        case let number as NSNumber:
            let kind = UInt8(bitPattern: number.objCType.pointee)
            return "df".utf8.contains(kind) ? text(of: number) : nil
        case let number as any BinaryFloatingPoint:
            return text(of: NSNumber(value: Double(number)))
        default:
            return nil
        }
    }

    /// Up to 16 digits of a double and 7 of a float, without trailing zeros, as recorded of AFNetworking.
    private static func text(of number: NSNumber) -> String {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"): String(format: "%.16g", number.doubleValue)
        case UInt8(ascii: "f"): String(format: "%.7g", number.doubleValue)
        default: number.stringValue
        }
    }

    /// `<68656c6c 6f>`, as Foundation describes data.
    static func hexadecimal(_ data: Data) -> String {
        var text = "<"
        for (index, byte) in data.enumerated() {
            if index > 0, index.isMultiple(of: 4) { text += " " }
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
        return text + ">"
    }
}

/// The parameters of a multipart form.
package enum FormFields {
    /// - Throws: `RequestSerializationError` for anything but a dictionary, since each part needs a name.
    package static func named(_ parameters: Any?) throws -> [String: Any]? {
        guard let parameters else { return nil }
        switch ParameterShape(parameters) {
        case .leaf(is NSNull):
            return nil
        case .dictionary(let fields):
            let named = fields.map { (ParameterText.text(of: $0.key), $0.value) }
            return Dictionary(named) { first, _ in first }
        default:
            throw RequestSerializationError(
                .unsupportedValue, "the parameters of a form are a dictionary by name")
        }
    }
}
