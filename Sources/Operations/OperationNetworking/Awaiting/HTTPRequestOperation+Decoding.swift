public import Foundation
import FoundationNetworking

extension HTTPRequestOperation {
    /// Waits for the end, and returns the body as a value of a type, decoded from JSON.
    ///
    /// The operation's serializer accepts the response, by status and type; the decoder alone reads the body,
    /// in the serializers' pool. The value is `responseObject` from now on. An empty body is nil for an
    /// optional type. Starting and cancelling are as for `result()`.
    ///
    /// - Parameter decoder: not to be changed until the end.
    /// - Throws: as `result()`; `ResponseSerializationError` (-1016) with
    ///   `ResponseSerializationError.Reason.undecodableValue` where the body is no such value: it says where,
    ///   and the decoder's error lies beneath. The body of an error's response is in its `data`.
    nonisolated(nonsending) public func result<Value: Decodable & Sendable>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        let serializer = DecodableResponseSerializer(type, decoder, rules: responseSerializer)
        responseSerializer = serializer
        return try await value { operation -> Value in
            guard let operation = operation as? HTTPRequestOperation else {
                return try serializer.value(of: nil, nil)
            }
            let (object, error) = operation.serialized()
            if let error { throw error }
            if let object, let value = object as? Value { return value }
            // Somebody has asked for another type meanwhile.
            return try serializer.value(of: operation.response, operation.responseData)
        }
    }
}
