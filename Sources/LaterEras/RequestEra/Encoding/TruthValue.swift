import CoreFoundation
import Foundation

/// Tells truth values from numbers.
enum TruthValue {
    /// The truth value, if it is one: a `Bool`, or an `NSNumber` that was made from one.
    static func of(_ value: Any) -> Bool? {
        // A Swift number is cast to `Bool` by its value: 1 would be true.
        if type(of: value) == Bool.self { return value as? Bool }
        guard let number = value as? NSNumber, type(of: value) is NSNumber.Type,
            CFGetTypeID(number) == CFBooleanGetTypeID()
        else { return nil }
        return number.boolValue
    }
}
