import Foundation
public import FoundationNetworking
public import OperationNetworking

// Asynchronous verbs. Each but the multipart `post` makes its task by `dataTask(withHTTPMethod:…)`, which a
// subclass may override.

extension HTTPSessionManager {
    /// Sends a GET, and returns the object of its response.
    ///
    /// Otherwise it is like `get` with blocks. Where the Swift task is cancelled, the session's
    /// task is cancelled, and the wait ends at once.
    ///
    /// - Throws: why no request could be built; the error of the session or of the serializer;
    ///   `URLError.cancelled`.
    nonisolated(nonsending) public func get(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil
    ) async throws -> sending Any? {
        try await object("GET", urlString, parameters, headers)
    }

    /// Sends a HEAD, and returns its response. Otherwise it is like `get`.
    nonisolated(nonsending) public func head(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil
    ) async throws -> HTTPURLResponse? {
        try await response("HEAD", urlString, parameters, headers)
    }

    /// Sends a POST, and returns the object of its response. Otherwise it is like `get`.
    nonisolated(nonsending) public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil
    ) async throws -> sending Any? {
        try await object("POST", urlString, parameters, headers)
    }

    /// Sends a POST with a multipart form, and returns the object of its response. Otherwise it is like
    /// `get`.
    ///
    /// - Parameter constructingBody: called before the request is sent, on the caller's thread.
    nonisolated(nonsending) public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        constructingBodyWith constructingBody: (any MultipartFormData) -> Void
    ) async throws -> sending Any? {
        let awaited = Awaited<AwaitedOutcome>()
        let request = withoutActuallyEscaping(constructingBody) { block in
            form(urlString, parameters, headers, block, awaited.failure)
        }
        let task = request.map { request in
            linked(awaited.success, awaited.failure) {
                uploadTask(withStreamedRequest: request, completionHandler: $0)
            }
        }
        return try await outcome(of: task, awaited).value.object
    }

    /// Sends a PUT, and returns the object of its response. Otherwise it is like `get`.
    nonisolated(nonsending) public func put(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil
    ) async throws -> sending Any? {
        try await object("PUT", urlString, parameters, headers)
    }

    /// Sends a PATCH, and returns the object of its response. Otherwise it is like `get`.
    nonisolated(nonsending) public func patch(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil
    ) async throws -> sending Any? {
        try await object("PATCH", urlString, parameters, headers)
    }

    /// Sends a DELETE, and returns the object of its response. Otherwise it is like `get`.
    nonisolated(nonsending) public func delete(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil
    ) async throws -> sending Any? {
        try await object("DELETE", urlString, parameters, headers)
    }

    // MARK: - Steps

    nonisolated(nonsending) private func object(
        _ method: String, _ urlString: String, _ parameters: Any?, _ headers: [String: String]?
    ) async throws -> sending Any? {
        try await outcome(method, urlString, parameters, headers).value.object
    }

    nonisolated(nonsending) func response(
        _ method: String, _ urlString: String, _ parameters: Any?, _ headers: [String: String]?
    ) async throws -> HTTPURLResponse? {
        let outcome = try await outcome(method, urlString, parameters, headers)
        return outcome.value.task.response as? HTTPURLResponse
    }

    /// - Parameter serializer: instead of the manager's.
    nonisolated(nonsending) func outcome(
        _ method: String, _ urlString: String, _ parameters: Any?, _ headers: [String: String]?,
        serializer: HTTPResponseSerializer? = nil
    ) async throws -> AwaitedOutcome {
        let awaited = Awaited<AwaitedOutcome>()
        let task = dataTask(
            withHTTPMethod: method, urlString: urlString, parameters: parameters, headers: headers,
            success: awaited.success, failure: awaited.failure)
        if let task, let serializer { serialize(task, by: serializer) }
        return try await outcome(of: task, awaited)
    }

    /// - Parameter task: nil where no request could be built; `awaited` then gets the error.
    nonisolated(nonsending) private func outcome(
        of task: SessionDataTask?, _ awaited: Awaited<AwaitedOutcome>
    ) async throws -> AwaitedOutcome {
        guard let task else { return try await awaited.value(for: baseURL, cancelling: {}) }
        return try await awaited.run(task)
    }
}

/// What a success block is called with.
typealias AwaitedOutcome = Handed<(task: SessionDataTask, object: Any?)>

extension Awaited<AwaitedOutcome> {
    fileprivate var success: HTTPSessionManager.Success {
        { task, object in
            // nonisolated(unsafe) because it is not changed here; the callers share it, as in the original.
            nonisolated(unsafe) let object = object
            self.give(.success(AwaitedOutcome((task: task, object: object))))
        }
    }

    fileprivate var failure: HTTPSessionManager.Failure {
        { _, error in self.give(.failure(error)) }
    }
}
