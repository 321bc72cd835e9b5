package import Foundation

/// Parameters as objects for Foundation's JSON or property list encoder, which crash for a value that they cannot
/// encode.
package struct BodyObject: Sendable {
    /// The format's name in errors, such as `JSON`.
    let format: String
    /// The object for a value that is no container; nil if the format has none.
    package let leaf: @Sendable (Any) -> Any?

    package init(format: String, leaf: @escaping @Sendable (Any) -> Any?) {
        self.format = format
        self.leaf = leaf
    }

    /// - Throws: `unsupportedValue` with the path to the value; `nestedTooDeeply`.
    package func checked(_ parameters: Any) throws(RequestSerializationError) -> Any {
        var path: [String] = []
        return try checked(parameters, &path)
    }

    private func checked(
        _ value: Any, _ path: inout [String]
    ) throws(RequestSerializationError) -> Any {
        guard path.count <= Parameter.deepest else { throw Parameter.tooDeep }
        switch ParameterShape(value) {
        case .leaf(let value):
            if let object = leaf(value) { return object }
            throw refusal("a value of type \(type(of: value))", path)
        case .set, .orderedSet:
            throw refusal("a set", path)
        case .array(let elements):
            var result: [Any] = []
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                result.append(try checked(element, &path))
                path.removeLast()
            }
            return result
        case .dictionary(let members):
            var result: [String: Any] = [:]
            for (key, element) in members {
                guard let name = key as? String else {
                    let text = ParameterText.text(of: key)
                    throw refusal("the key \(text), which is no text,", path)
                }
                path.append(name)
                result[name] = try checked(element, &path)
                path.removeLast()
            }
            return result
        }
    }

    /// The error for a value that cannot be encoded.
    package func refusal(_ what: String, _ path: [String]) -> RequestSerializationError {
        let position = path.isEmpty ? "the top" : "'\(path.joined(separator: "."))'"
        return RequestSerializationError(
            .unsupportedValue, "\(what) at \(position) cannot be written as \(format)")
    }
}

extension BodyObject {
    package static let json = BodyObject(format: "JSON") { value in
        if value is NSNull { return value }
        guard let number = number(value) else { return text(value) }
        return number.doubleValue.isFinite ? number : nil
    }

    package static let propertyList = BodyObject(format: "a property list") { value in
        switch value {
        case let date as Date: date
        case let data as Data: data
        default: number(value) ?? text(value)
        }
    }

    private static func text(_ value: Any) -> Any? {
        switch value {
        case let text as String: text
        case let text as Substring: String(text)
        case let character as Character: String(character)
        default: nil
        }
    }

    private static func number(_ value: Any) -> NSNumber? {
        (value as? NSNumber) ?? (value as? CGFloat).map { NSNumber(value: Double($0)) }
    }
}

/// Parameters that are already encoded: every serializer sends them as the body, for every method.
package struct EncodedParameters: Sendable {
    package let body: Data
    /// For requests without a `Content-Type`.
    let contentType: String

    /// Encodes a value as JSON.
    ///
    /// - Throws: `RequestSerializationError.Reason.encodingFailed`, with the encoder's error as underlying error.
    package init(_ value: some Encodable, _ encoder: JSONEncoder) throws {
        do {
            body = try encoder.encode(value)
        } catch {
            let words = CodingProblem.words(error).map { ": \($0)" } ?? ""
            throw RequestSerializationError(
                .encodingFailed, "the \(type(of: value)) could not be written as JSON" + words,
                underlying: error)
        }
        contentType = "application/json"
    }
}
