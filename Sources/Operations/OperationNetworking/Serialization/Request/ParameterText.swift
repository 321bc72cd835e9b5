import Foundation

/// The text of a value, as the original's `description` gave it (QS-4).
package enum ParameterText {
    /// The text of any value. A container has one too, because a key may be a container and sets
    /// are sorted by text. Containers show four levels, which is enough for a stable order.
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

    /// The text of a floating-point number, of whatever type; nil for another value. A whole one has
    /// neither a point nor a zero, as on the platform of both originals.
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

    /// Up to 16 digits of a double and 7 of a float, without trailing zeros, as recorded of the
    /// original.
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
