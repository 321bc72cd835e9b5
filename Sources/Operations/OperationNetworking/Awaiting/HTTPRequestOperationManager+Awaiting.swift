public import Foundation
public import FoundationNetworking
import HTTPSemantics

// Methods for tasks of Swift's concurrency. Each calls the method with blocks, which a subclass may
// override.

extension HTTPRequestOperationManager {
    /// Sends a GET, and returns the object of its response.
    ///
    /// Otherwise it is like `get` with blocks. When the task is cancelled, the operation is cancelled,
    /// and the wait ends at once.
    ///
    /// - Throws: the error of the request serializer, of the connection or of the response serializer;
    ///   `URLError.cancelled`.
    nonisolated(nonsending) public func get(
        _ urlString: String, parameters: Any? = nil
    ) async throws -> sending Any? {
        try await object { get(urlString, parameters: parameters, success: nil, failure: $0) }
    }

    /// Sends a HEAD, and returns its response. Everything else is as for `get`.
    nonisolated(nonsending) public func head(
        _ urlString: String, parameters: Any? = nil
    ) async throws -> HTTPURLResponse? {
        try await response {
            head(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    /// Sends a POST, and returns the object of its response. Everything else is as for `get`.
    nonisolated(nonsending) public func post(
        _ urlString: String, parameters: Any? = nil
    ) async throws -> sending Any? {
        try await object { post(urlString, parameters: parameters, success: nil, failure: $0) }
    }

    /// Sends a POST with a multipart form, and returns the object of its response. Everything else is
    /// as for `get`.
    ///
    /// - Parameter constructingBody: called before the request is sent, on the caller's thread.
    nonisolated(nonsending) public func post(
        _ urlString: String, parameters: Any? = nil,
        constructingBody: (any MultipartFormData) -> Void
    ) async throws -> sending Any? {
        try await object {
            post(
                urlString, parameters: parameters, constructingBody: constructingBody, success: nil,
                failure: $0)
        }
    }

    /// Sends a PUT, and returns the object of its response. Everything else is as for `get`.
    nonisolated(nonsending) public func put(
        _ urlString: String, parameters: Any? = nil
    ) async throws -> sending Any? {
        try await object { put(urlString, parameters: parameters, success: nil, failure: $0) }
    }

    /// Sends a PATCH, and returns the object of its response. Everything else is as for `get`.
    nonisolated(nonsending) public func patch(
        _ urlString: String, parameters: Any? = nil
    ) async throws -> sending Any? {
        try await object { patch(urlString, parameters: parameters, success: nil, failure: $0) }
    }

    /// Sends a DELETE, and returns the object of its response. Everything else is as for `get`.
    nonisolated(nonsending) public func delete(
        _ urlString: String, parameters: Any? = nil
    ) async throws -> sending Any? {
        try await object { delete(urlString, parameters: parameters, success: nil, failure: $0) }
    }

    /// Sends a request, and returns the object of its response. Everything else is as for `get`.
    nonisolated(nonsending) public func result(
        for request: URLRequest
    ) async throws -> sending Any? {
        try await object { _ in enqueuedOperation(request) }
    }

    /// Sends a request, waits for its response, and returns the body as it is received; see
    /// `URLConnectionOperation.bytes()`.
    nonisolated(nonsending) public func bytes(
        for request: URLRequest
    ) async throws -> (ResponseBytes, URLResponse) {
        let operation = httpRequestOperation(with: request, success: nil, failure: nil)
        return try await operation.bytes { enqueue(operation) }
    }

    func enqueuedOperation(_ request: URLRequest) -> HTTPRequestOperation {
        let operation = httpRequestOperation(with: request, success: nil, failure: nil)
        enqueue(operation)
        return operation
    }

    nonisolated(nonsending) private func object(
        _ start: (@escaping Failure) -> HTTPRequestOperation?
    ) async throws -> sending Any? {
        try await operation(start).result()
    }

    nonisolated(nonsending) func response(
        _ start: (@escaping Failure) -> HTTPRequestOperation?
    ) async throws -> HTTPURLResponse? {
        let operation = try await operation(start)
        _ = try await operation.result()
        return operation.response
    }

    /// The operation that a method starts; none is started for a task that was cancelled before.
    nonisolated(nonsending) func operation(
        _ start: (@escaping Failure) -> HTTPRequestOperation?
    ) async throws -> HTTPRequestOperation {
        guard !Task.isCancelled else { throw URLError(.cancelled, url: baseURL) }
        let refusal = Awaited<HTTPRequestOperation>()
        let operation = AwaitedVerb.$refusal.withValue(refusal) {
            start { operation, error in
                if operation == nil { refusal.give(.failure(error)) }
            }
        }
        if let operation { return operation }
        return try await refusal.value(for: baseURL, cancelling: {})
    }
}

// Methods for values of the caller's types. Each calls the method with blocks, which a subclass may override.

extension HTTPRequestOperationManager {
    /// Sends a GET, and returns the body of its response as a value of a type, decoded from JSON.
    ///
    /// `responseSerializer` validates the status and the type; `decoder` alone reads the body, off the caller's
    /// thread. An empty body is nil for an optional type. Otherwise it is like `get` without a type.
    ///
    /// - Parameter decoder: not to be changed until the end.
    /// - Throws: the error of the request serializer, of the connection or of the response serializer, which
    ///   has the body in its `data`; `URLError.cancelled`. For a body that is no such value it is
    ///   `ResponseSerializationError` (-1016) with `ResponseSerializationError.Reason.undecodableValue`. Its
    ///   text names the position, and its underlying error is the decoder's.
    nonisolated(nonsending) public func get<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value(type, decoder) {
            get(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    // MARK: - POST

    /// Sends a POST with a value as its JSON body, and returns the response.
    ///
    /// Whichever request serializer is set, the body is `encoder`'s. Its type is `application/json` unless the
    /// serializer's header fields name another. Otherwise it is like `post` with parameters.
    ///
    /// - Throws: `RequestSerializationError.Reason.encodingFailed` for a value that cannot be encoded, before
    ///   anything is sent; otherwise as `post` with parameters.
    @discardableResult
    nonisolated(nonsending) public func post(
        _ urlString: String, body: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) async throws -> HTTPURLResponse? {
        let parameters = try EncodedParameters(body, encoder)
        return try await response {
            post(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    /// Sends a POST with a value as its JSON body, and returns the body of the response as a value of a
    /// type. Everything else is as for `post` with a body, and for `get` with a type.
    nonisolated(nonsending) public func post<Value: Decodable & Sendable>(
        _ urlString: String, body: some Encodable, as type: Value.Type,
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await post(
            urlString, parameters: try EncodedParameters(body, encoder), as: type, decoder: decoder)
    }

    /// Sends a POST with parameters, and returns the body of its response as a value of a type.
    /// Everything else is as for `get` with a type.
    nonisolated(nonsending) public func post<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value(type, decoder) {
            post(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    // MARK: - PUT

    /// Sends a PUT with a value as its JSON body, and returns the response.
    ///
    /// Otherwise it is like `post` with a body.
    @discardableResult
    nonisolated(nonsending) public func put(
        _ urlString: String, body: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) async throws -> HTTPURLResponse? {
        let parameters = try EncodedParameters(body, encoder)
        return try await response {
            put(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    /// Sends a PUT with a value as its JSON body, and returns the body of the response as a value of a
    /// type. Everything else is as for `post` with a body, and for `get` with a type.
    nonisolated(nonsending) public func put<Value: Decodable & Sendable>(
        _ urlString: String, body: some Encodable, as type: Value.Type,
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await put(
            urlString, parameters: try EncodedParameters(body, encoder), as: type, decoder: decoder)
    }

    /// Sends a PUT with parameters, and returns the body of its response as a value of a type.
    /// Everything else is as for `get` with a type.
    nonisolated(nonsending) public func put<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value(type, decoder) {
            put(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    // MARK: - PATCH

    /// Sends a PATCH with a value as its JSON body, and returns the response.
    ///
    /// Otherwise it is like `post` with a body.
    @discardableResult
    nonisolated(nonsending) public func patch(
        _ urlString: String, body: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) async throws -> HTTPURLResponse? {
        let parameters = try EncodedParameters(body, encoder)
        return try await response {
            patch(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    /// Sends a PATCH with a value as its JSON body, and returns the body of the response as a value of a
    /// type. Everything else is as for `post` with a body, and for `get` with a type.
    nonisolated(nonsending) public func patch<Value: Decodable & Sendable>(
        _ urlString: String, body: some Encodable, as type: Value.Type,
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await patch(
            urlString, parameters: try EncodedParameters(body, encoder), as: type, decoder: decoder)
    }

    /// Sends a PATCH with parameters, and returns the body of its response as a value of a type.
    /// Everything else is as for `get` with a type.
    nonisolated(nonsending) public func patch<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value(type, decoder) {
            patch(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    // MARK: - DELETE and requests

    /// Sends a DELETE, and returns the body of its response as a value of a type. Everything else is as for
    /// `get` with a type.
    nonisolated(nonsending) public func delete<Value: Decodable & Sendable>(
        _ urlString: String, parameters: Any? = nil, as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value(type, decoder) {
            delete(urlString, parameters: parameters, success: nil, failure: $0)
        }
    }

    /// Sends a request, and returns the body of its response as a value of a type. Everything else is as for
    /// `get` with a type.
    nonisolated(nonsending) public func result<Value: Decodable & Sendable>(
        for request: URLRequest, as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await value(type, decoder) { _ in enqueuedOperation(request) }
    }

    nonisolated(nonsending) private func value<Value: Decodable & Sendable>(
        _ type: Value.Type, _ decoder: JSONDecoder,
        _ start: (@escaping Failure) -> HTTPRequestOperation?
    ) async throws -> Value {
        try await operation(start).result(as: type, decoder: decoder)
    }
}
