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

    /// The object, mutable if it is a container.
    ///
    /// Only the outermost container becomes mutable: Foundation on Linux returns its contents as
    /// Swift's dictionaries and arrays, whatever was put in.
    package static func mutable(_ object: Any) -> Any {
        switch object {
        case let dictionary as [AnyHashable: Any]: NSMutableDictionary(dictionary: dictionary)
        case let array as [Any]: NSMutableArray(array: array)
        default: object
        }
    }
}
