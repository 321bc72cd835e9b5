import Foundation

/// Changes to a decoded tree of dictionaries and arrays.
package enum DecodedContainers {
    /// The tree without the nulls in dictionaries, in arrays, or both, at every depth.
    package static func removingNulls(_ object: Any, entries: Bool, elements: Bool) -> Any {
        func cleaned(_ object: Any) -> Any {
            switch object {
            case let dictionary as [String: Any]:
                dictionary.compactMapValues { entries && $0 is NSNull ? nil : cleaned($0) }
            case let array as [Any]:
                array.compactMap { elements && $0 is NSNull ? nil : cleaned($0) }
            default:
                object
            }
        }
        return entries || elements ? cleaned(object) : object
    }

    private static let mostAlike = 1_000

    /// Like `mutable`, for the object of a response.
    ///
    /// Foundation's dictionaries compare a key with all others of its hash, and an attacker can choose such keys.
    ///
    /// - Throws: `ResponseSerializationError.Limit.keys`.
    package static func checkedMutable(_ object: Any) throws -> Any {
        if let dictionary = object as? [String: Any], dictionary.count > mostAlike {
            var counts: [Int: Int] = [:]
            for key in dictionary.keys {
                counts[(key as NSString).hash, default: 0] += 1
            }
            guard counts.values.allSatisfy({ $0 <= mostAlike }) else {
                throw ResponseSerializationError.Limit.keys
            }
        }
        return mutable(object)
    }

    /// The object, as a mutable container if it is one.
    ///
    /// Only the outermost container is mutable: Foundation on Linux returns inner ones as Swift's dictionaries and
    /// arrays, whatever was put in.
    package static func mutable(_ object: Any) -> Any {
        switch object {
        case let dictionary as [AnyHashable: Any]: NSMutableDictionary(dictionary: dictionary)
        case let array as [Any]: NSMutableArray(array: array)
        default: object
        }
    }
}
