import Foundation

/// The value of a key in a dictionary, or of each element of an array, as Foundation's key-value coding has it.
package enum KeyedValue {
    /// - Parameter path: keys with dots between them.
    /// - Returns: nil where there is none; of an array one value for each element, `NSNull` where it has none.
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
