public import Foundation
public import FoundationNetworking
import Locking
import OperationNetworking

// The verbs for values of the caller's types. Each makes its task by `dataTask(withHTTPMethod:…)`, which a
// subclass may override.

extension HTTPSessionManager {
    /// Sends a GET, and returns the body of its response as a value of a type, decoded from JSON.
    ///
    /// `responseSerializer` accepts the response, by status and type; `decoder` alone reads the body, off the
    /// caller's thread. An empty body is nil for an optional type. Otherwise it is like `get` without a type.
    ///
    /// - Parameter decoder: not to be changed until the end.
    /// - Throws: why no request could be built; the error of the session or of the serializer, with
    ///   the body of the response in its `data`; `URLError.cancelled`. Where the body is no such
    ///   value, it is `ResponseSerializationError` (-1016) with
    ///   `ResponseSerializationError.Reason.undecodableValue`, which says where; the decoder's
    ///   error is beneath it.
    nonisolated(nonsending) public func get<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value("GET", urlString, parameters, headers, type, decoder)
    }

    // MARK: - POST

    /// Sends a POST with a value as its JSON body, and returns the response.
    ///
    /// Whatever the request serializer writes of parameters, the body is `encoder`'s, and its type
    /// `application/json` unless the serializer's header fields name another. Otherwise it is like `post`
    /// with parameters.
    ///
    /// - Throws: `RequestSerializationError.Reason.encodingFailed` for a value that cannot be written, and
    ///   nothing is sent; else as `post` with parameters.
    @discardableResult
    nonisolated(nonsending) public func post(
        _ urlString: String, body: some Encodable, headers: [String: String]? = nil,
        encoder: JSONEncoder = JSONEncoder()
    ) async throws -> HTTPURLResponse? {
        try await response("POST", urlString, EncodedParameters(body, encoder), headers)
    }

    /// Sends a POST with a value as its JSON body, and returns the body of the response as a value of a
    /// type. Everything else is as for `post` with a body, and for `get` with a type.
    nonisolated(nonsending) public func post<Value: Decodable & Sendable>(
        _ urlString: String, body: some Encodable, headers: [String: String]? = nil,
        as type: Value.Type, encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await post(
            urlString, parameters: try EncodedParameters(body, encoder), headers: headers, as: type,
            decoder: decoder)
    }

    /// Sends a POST with parameters, and returns the body of its response as a value of a type.
    /// Everything else is as for `get` with a type.
    nonisolated(nonsending) public func post<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value("POST", urlString, parameters, headers, type, decoder)
    }

    // MARK: - PUT

    /// Sends a PUT with a value as its JSON body, and returns the response.
    ///
    /// Otherwise it is like `post` with a body.
    @discardableResult
    nonisolated(nonsending) public func put(
        _ urlString: String, body: some Encodable, headers: [String: String]? = nil,
        encoder: JSONEncoder = JSONEncoder()
    ) async throws -> HTTPURLResponse? {
        try await response("PUT", urlString, EncodedParameters(body, encoder), headers)
    }

    /// Sends a PUT with a value as its JSON body, and returns the body of the response as a value of a
    /// type. Everything else is as for `post` with a body, and for `get` with a type.
    nonisolated(nonsending) public func put<Value: Decodable & Sendable>(
        _ urlString: String, body: some Encodable, headers: [String: String]? = nil,
        as type: Value.Type, encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await put(
            urlString, parameters: try EncodedParameters(body, encoder), headers: headers, as: type,
            decoder: decoder)
    }

    /// Sends a PUT with parameters, and returns the body of its response as a value of a type.
    /// Everything else is as for `get` with a type.
    nonisolated(nonsending) public func put<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value("PUT", urlString, parameters, headers, type, decoder)
    }

    // MARK: - PATCH

    /// Sends a PATCH with a value as its JSON body, and returns the response.
    ///
    /// Otherwise it is like `post` with a body.
    @discardableResult
    nonisolated(nonsending) public func patch(
        _ urlString: String, body: some Encodable, headers: [String: String]? = nil,
        encoder: JSONEncoder = JSONEncoder()
    ) async throws -> HTTPURLResponse? {
        try await response("PATCH", urlString, EncodedParameters(body, encoder), headers)
    }

    /// Sends a PATCH with a value as its JSON body, and returns the body of the response as a value of a
    /// type. Everything else is as for `post` with a body, and for `get` with a type.
    nonisolated(nonsending) public func patch<Value: Decodable & Sendable>(
        _ urlString: String, body: some Encodable, headers: [String: String]? = nil,
        as type: Value.Type, encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await patch(
            urlString, parameters: try EncodedParameters(body, encoder), headers: headers, as: type,
            decoder: decoder)
    }

    /// Sends a PATCH with parameters, and returns the body of its response as a value of a type.
    /// Everything else is as for `get` with a type.
    nonisolated(nonsending) public func patch<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value("PATCH", urlString, parameters, headers, type, decoder)
    }

    // MARK: - DELETE

    /// Sends a DELETE, and returns the body of its response as a value of a type. Everything else is as for
    /// `get` with a type.
    nonisolated(nonsending) public func delete<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value("DELETE", urlString, parameters, headers, type, decoder)
    }

    nonisolated(nonsending) private func value<Value: Decodable & Sendable>(
        _ method: String, _ urlString: String, _ parameters: Any?, _ headers: [String: String]?,
        _ type: Value.Type, _ decoder: JSONDecoder
    ) async throws -> Value {
        let serializer = DecodableResponseSerializer(type, decoder, rules: responseSerializer)
        let outcome = try await outcome(
            method, urlString, parameters, headers, serializer: serializer)
        return try serializer.value(outcome.value.object, of: outcome.value.task.response)
    }
}

extension URLSessionManager {
    /// Runs a data task, and returns the body of its response as a value of a type, decoded from JSON.
    ///
    /// Everything else is as for `HTTPSessionManager.get` with a type.
    nonisolated(nonsending) public func result<Value: Decodable & Sendable>(
        for request: URLRequest, as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        let serializer = DecodableResponseSerializer(type, decoder, rules: responseSerializer)
        let (object, response) = try await result(of: request) {
            let task = dataTask(with: request, completionHandler: $0)
            serialize(task, by: serializer)
            return task
        }
        return try serializer.value(object, of: response)
    }

    /// Has another serializer make the object of a task that was not resumed.
    func serialize(_ task: SessionTask, by serializer: HTTPResponseSerializer) {
        (task.handler as? ManagedTask)?.shared.withLock { $0.serializer = serializer }
    }
}
