import Foundation
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
