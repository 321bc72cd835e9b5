package import Foundation
package import FoundationNetworking

/// Decodes JSON as a value of a type, after another serializer has accepted the response.
///
/// Only the body of an accepted response is decoded: an error's body has another shape. An empty body is
/// nil for an optional type, and an error for any other.
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's. Calls out on: the caller's thread (the other serializer,
/// the type's `init(from:)`).
package final class DecodableResponseSerializer<
    Value: Decodable & Sendable
>: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; what is added is constant.
    private let decoder: JSONDecoder
    private let rules: HTTPResponseSerializer

    /// - Parameter rules: what accepts the response.
    package init(_ type: Value.Type, _ decoder: JSONDecoder, rules: HTTPResponseSerializer) {
        self.decoder = decoder
        self.rules = (rules as? DecodableResponseSerializer)?.rules ?? rules
        super.init()
    }

    package required convenience init() {
        self.init(Value.self, JSONDecoder(), rules: JSONResponseSerializer())
    }

    /// Not possible: a decoder cannot be archived.
    ///
    /// - Returns: nil.
    package required init?(coder: NSCoder) { nil }

    /// Itself, since it does not change.
    package override func copy(with zone: NSZone? = nil) -> Any { self }

    package override func validate(_ response: HTTPURLResponse?, data: Data?) throws {
        try rules.validate(response, data: data)
    }

    package override func responseObject(
        for response: URLResponse?, data: Data?
    ) -> SerializedResponse {
        do {
            return SerializedResponse(object: try value(of: response, data), error: nil)
        } catch {
            return SerializedResponse(object: nil, error: error)
        }
    }

    /// - Throws: the other serializer's error; `ResponseSerializationError.Reason.undecodableValue` and
    ///   `undecodableText`.
    package func value(of response: URLResponse?, _ data: Data?) throws -> Value {
        if let error = objection(to: response, data) { throw error }
        guard let data, !data.isEmpty else {
            if let none = Self.none { return none }
            throw error(response, data, nil)
        }
        let declared = response?.textEncodingName.flatMap(TextEncoding.encoding(named:))
        let encoding = declared ?? rules.stringEncoding
        guard let bytes = JSONBody.utf8(data, encoding) else {
            throw ResponseSerializationError(
                .undecodableText(encoding), response: response, data: data)
        }
        do {
            return try decoder.decode(Value.self, from: bytes)
        } catch let cause {
            throw error(response, data, cause)
        }
    }

    /// Whether a subclass of the caller's refuses the body, or whether the response is not acceptable.
    private func objection(to response: URLResponse?, _ data: Data?) -> (any Error)? {
        guard type(of: rules) == JSONResponseSerializer.self else {
            return rules.responseObject(for: response, data: data).error
        }
        // Without its own reading, which would be for nothing, and refuse a number alone.
        do {
            try rules.validate(response as? HTTPURLResponse, data: data)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func error(
        _ response: URLResponse?, _ data: Data?, _ cause: (any Error)?
    ) -> ResponseSerializationError {
        ResponseSerializationError(
            .undecodableValue(type: "\(Value.self)"), response: response, data: data,
            underlying: cause)
    }

    /// Nil of an optional type; nil where the type is none.
    private static var none: Value? {
        (Value.self as? any ExpressibleByNilLiteral.Type).map { $0.init(nilLiteral: ()) as Any }
            as? Value
    }
}

extension DecodableResponseSerializer {
    /// What this serializer made, in its own type.
    ///
    /// - Throws: `undecodableValue` where another one made it, of a task that a subclass made elsewhere.
    package func value(_ object: Any?, of response: URLResponse?) throws -> Value {
        guard let object, let value = object as? Value else { throw error(response, nil, nil) }
        return value
    }
}
