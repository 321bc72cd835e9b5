package import Foundation
package import FoundationNetworking

/// Decodes JSON as a value of a type, if another serializer accepts the response.
///
/// An empty body is nil for an optional type, and an error for any other.
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's. Calls out on: the caller's thread (the other serializer, the
/// type's `init(from:)`).
package final class DecodableResponseSerializer<
    Value: Decodable & Sendable
>: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because the superclass is; its own properties are constant.
    private let decoder: JSONDecoder
    private let rules: HTTPResponseSerializer

    /// - Parameter rules: the serializer that accepts the response.
    package init(_ type: Value.Type, _ decoder: JSONDecoder, rules: HTTPResponseSerializer) {
        self.decoder = decoder
        self.rules = (rules as? DecodableResponseSerializer)?.rules ?? rules
        super.init()
    }

    package required convenience init() {
        self.init(Value.self, JSONDecoder(), rules: JSONResponseSerializer())
    }

    /// Returns nil: a decoder cannot be archived.
    package required init?(coder: NSCoder) { nil }

    /// Itself, since it is immutable.
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
        let (bytes, _) = try JSONBody.utf8(data, of: response, or: rules.stringEncoding)
        do {
            return try decoder.decode(Value.self, from: bytes)
        } catch let cause {
            throw error(response, data, cause)
        }
    }

    /// The other serializer's error.
    private func objection(to response: URLResponse?, _ data: Data?) -> (any Error)? {
        guard type(of: rules) == JSONResponseSerializer.self else {
            return rules.responseObject(for: response, data: data).error
        }
        // Only its validation: parsing would be done twice, and would refuse a number outermost.
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

    /// The nil of an optional type; nil for any other type.
    private static var none: Value? {
        (Value.self as? any ExpressibleByNilLiteral.Type).map { $0.init(nilLiteral: ()) as Any }
            as? Value
    }
}

extension DecodableResponseSerializer {
    /// An object that this serializer made, as its type.
    ///
    /// - Throws: `undecodableValue` if it is no such value, as that of another serializer, which a subclass has set.
    package func value(_ object: Any?, of response: URLResponse?) throws -> Value {
        guard let object, let value = object as? Value else { throw error(response, nil, nil) }
        return value
    }
}
