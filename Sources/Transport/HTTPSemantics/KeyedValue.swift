import Foundation

/// The value at a key path of a dictionary or an array, as in Foundation's key-value coding.
package enum KeyedValue {
    /// - Parameter path: keys separated by dots.
    /// - Returns: nil where there is no value; for an array one value for each element, `NSNull`
    ///   where the element has none.
    package static func value(of container: Any?, at path: String) -> Any? {
        path.split(separator: ".", omittingEmptySubsequences: false).reduce(container) {
            value(of: $0, for: String($1))
        }
    }

    package static func value(of container: Any?, for key: String) -> Any? {
        switch container {
        case let dictionary as NSDictionary: dictionary.object(forKey: key as NSString)
        case let array as NSArray: array.map { value(of: $0, for: key) ?? NSNull() }
        case let dictionary as [AnyHashable: Any]: dictionary[key]
        case let array as [Any]: array.map { value(of: $0, for: key) ?? NSNull() }
        default: nil
        }
    }
}
