import CoreFoundation
import Foundation

/// A value of the parameters, one level deep, of Swift or of Foundation.
///
/// On Linux, casting a Swift collection to a class converts everything within it, and so does
/// reading an element of a Foundation collection. That is quadratic in deep parameters, and endless
/// where a container contains itself. So objects are told from values first, and Core Foundation,
/// which converts nothing, reads the elements of objects.
enum ParameterShape {
    case dictionary([(key: Any, value: Any)])
    case array([Any])
    case set([Any])
    /// A set that has an order of its own.
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

    /// The value in an optional or an `AnyHashable`, however often it is wrapped; nil for none.
    static func unwrapped(_ value: Any) -> Any? {
        if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
            return unwrapped(hashable.base)
        }
        guard let optional = value as? any OptionalValue else { return value }
        return optional.held.flatMap(unwrapped)
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
    var held: Any? { get }
}

extension Optional: OptionalValue {
    var held: Any? { self }
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
            CFSetGetValues(unsafeBitCast(set, to: CFSet.self), &members)
            return .set(members.compactMap(element))
        case let set as NSOrderedSet: return .orderedSet(elements(of: NSArray(array: set.array)))
        default: return .leaf(object)
        }
    }

    private static func elements(of array: NSArray) -> [Any] {
        let elements = unsafeBitCast(array, to: CFArray.self)
        return (0..<array.count).compactMap { element(CFArrayGetValueAtIndex(elements, $0)) }
    }

    private static func members(of dictionary: NSDictionary) -> [(key: Any, value: Any)] {
        var keys = Pointers(repeating: nil, count: dictionary.count)
        var values = keys
        CFDictionaryGetKeysAndValues(
            unsafeBitCast(dictionary, to: CFDictionary.self), &keys, &values)
        return zip(keys, values).compactMap { key, value in
            guard let key = element(key), let value = element(value) else { return nil }
            return (key: key, value: value)
        }
    }

    /// A container as the object that it is; any other element as the value that was put in.
    private static func element(_ pointer: UnsafeRawPointer?) -> Any? {
        guard let pointer else { return nil }
        let object = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        return switch object {
        case is NSDictionary, is NSArray, is NSSet, is NSOrderedSet: object
        default: NSArray(object: object).firstObject
        }
    }
}
