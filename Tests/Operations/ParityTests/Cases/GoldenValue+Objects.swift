import Foundation
import ParitySupport

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
