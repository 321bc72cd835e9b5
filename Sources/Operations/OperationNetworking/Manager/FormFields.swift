import Foundation

/// Pure: the parameters of a form, by name.
package enum FormFields {
    /// - Throws: `RequestSerializationError` for anything but a dictionary, because each part needs
    ///   a name.
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
