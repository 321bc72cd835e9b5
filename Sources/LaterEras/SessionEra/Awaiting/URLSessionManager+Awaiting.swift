public import Foundation
public import FoundationNetworking
public import OperationNetworking

// Asynchronous methods. Each but `bytes` calls the method with blocks, which a subclass may override, so its
// result comes by way of `completionQueue` or main.

extension URLSessionManager {
    /// Runs a data task, and returns its response and what the serializer made of the body.
    ///
    /// Where the Swift task is cancelled, the session's task is cancelled, and the wait ends at
    /// once.
    ///
    /// - Throws: the error of the session or of the serializer; `URLError.cancelled` whichever of the
    ///   two was cancelled.
    nonisolated(nonsending) public func result(
        for request: URLRequest
    ) async throws -> sending (object: Any?, response: URLResponse?) {
        try await result(of: request) { dataTask(with: request, completionHandler: $0) }
    }

    /// Uploads bytes; otherwise it is like `result(for:)`.
    nonisolated(nonsending) public func upload(
        for request: URLRequest, from bodyData: Data?
    ) async throws -> sending (object: Any?, response: URLResponse?) {
        try await result(of: request) {
            uploadTask(with: request, from: bodyData, completionHandler: $0)
        }
    }

    /// Uploads a file; otherwise it is like `result(for:)`.
    nonisolated(nonsending) public func upload(
        for request: URLRequest, fromFile file: URL
    ) async throws -> sending (object: Any?, response: URLResponse?) {
        try await result(of: request) {
            uploadTask(with: request, fromFile: file, completionHandler: $0)
        }
    }

    /// Downloads a file; otherwise it is like `result(for:)`.
    ///
    /// - Parameter destination: as in `downloadTask(with:…)`.
    /// - Returns: where the file is, and the response.
    nonisolated(nonsending) public func download(
        for request: URLRequest, to destination: @escaping Destination
    ) async throws -> (file: URL, response: URLResponse?) {
        let awaited = Awaited<(URL, URLResponse?)>()
        let task = downloadTask(with: request, destination: destination) { response, file, error in
            if let file, error == nil {
                awaited.give(.success((file, response)))
            } else {
                awaited.give(.failure(error ?? URLError(.cannotCreateFile)))
            }
        }
        return try await awaited.run(task)
    }

    /// Runs a data task whose body is read as it comes, and returns once the response's header has
    /// come.
    ///
    /// Blocks about the task, and its notifications, are called as for any other;
    /// the block of `setDataTaskDidReceiveDataBlock` gets each piece. Where the reader is released before the
    /// end, the task is cancelled.
    ///
    /// - Returns: the body, and the response, whose status and type are not validated.
    /// - Throws: the error of the session; `URLError.cancelled`.
    nonisolated(nonsending) public func bytes(
        for request: URLRequest
    ) async throws -> (ResponseBytes, URLResponse) {
        let reader = BodyChannel(for: request.url)
        let task = managed(.body(reader)) { $0.dataTask(with: request, handler: $1) }
        task.streamsBody()
        reader.connect(task.transferOfBody)
        let response = try await reader.response { task.resume() }
        return (ResponseBytes(reader, response), response)
    }

    nonisolated(nonsending) func result(
        of request: URLRequest, _ make: (@escaping CompletionHandler) -> SessionTask
    ) async throws -> sending (object: Any?, response: URLResponse?) {
        let awaited = Awaited<Handed<(object: Any?, response: URLResponse?)>>()
        let task = make { response, object, error in
            // nonisolated(unsafe) because it is not changed here; the callers share it, as in the original.
            nonisolated(unsafe) let object = object
            awaited.give(
                error.map { .failure($0) } ?? .success(Handed((object: object, response: response)))
            )
        }
        return try await awaited.run(task).value
    }
}

extension Awaited {
    /// Resumes a task and waits for its handler's result.
    nonisolated(nonsending) func run(_ task: SessionTask) async throws -> Value {
        try await value(for: task.originalRequest?.url) {
            task.resume()
        } cancelling: {
            task.cancel()
        }
    }
}
