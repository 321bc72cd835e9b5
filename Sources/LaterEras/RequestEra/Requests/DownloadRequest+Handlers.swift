public import Foundation
import FoundationNetworking
import Locking
import OperationNetworking
import SessionTasks

// Handlers of downloads, whose serializers read the file (AL-22), where it has at most
// `limits.bodyInMemory` bytes.
extension DownloadRequest {
    /// Adds a handler, which gets what the request has when its queue calls it; nothing is
    /// serialized.
    ///
    /// - Parameter queue: where it is called; main if nil.
    @preconcurrency
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DefaultDownloadResponse) -> Void
    ) -> Self {
        addHandler {
            self.call(on: queue) {
                let files = self.files
                return Handed(
                    DefaultDownloadResponse(
                        request: self.request, response: self.response,
                        temporaryURL: files.temporaryURL, destinationURL: files.destinationURL,
                        resumeData: files.resumeData, error: self.delegate.error,
                        timeline: self.timeline
                    ).with(self.metrics))
            } completionHandler: {
                completionHandler($0)
            }
        }
        return self
    }

    /// Adds a handler for what a serializer makes of the file.
    ///
    /// - Parameters:
    ///   - queue: where the handler is called; main if nil.
    ///   - responseSerializer: called on the request's queue, once for this handler; only the
    ///     handler gets the result.
    @preconcurrency
    @discardableResult
    public func response<T: DownloadResponseSerializerProtocol>(
        queue: DispatchQueue? = nil, responseSerializer: T,
        completionHandler: @escaping @Sendable (DownloadResponse<T.SerializedObject>) -> Void
    ) -> Self {
        addHandler {
            let made = Handed(self.serialized(by: responseSerializer))
            self.call(on: queue, { made }, completionHandler: completionHandler)
        }
        return self
    }

    /// Adds a handler for the file's bytes.
    @preconcurrency
    @discardableResult
    public func responseData(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: DownloadRequest.dataResponseSerializer(),
            completionHandler: completionHandler)
    }

    /// Adds a handler for the file's text.
    ///
    /// - Parameter encoding: in place of the response's charset, or ISO Latin-1 if it names none.
    @preconcurrency
    @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil, encoding: String.Encoding? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DownloadRequest.stringResponseSerializer(encoding: encoding),
            completionHandler: completionHandler)
    }

    /// Adds a handler for the file as the objects of `JSONSerialization`.
    @preconcurrency
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue? = nil, options: JSONSerialization.ReadingOptions = .allowFragments,
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DownloadRequest.jsonResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    /// Adds a handler for the file as the objects of `PropertyListSerialization`.
    @preconcurrency
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue? = nil, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DownloadRequest.propertyListResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    /// What a serializer makes of the file, for one handler; on the request's queue.
    func serialized<T: DownloadResponseSerializerProtocol>(
        by responseSerializer: T
    ) -> DownloadResponse<T.SerializedObject> {
        let (request, response) = (request, response)
        let files = files
        let limit = taskSession.limitOfBodyInMemory
        let (result, metrics) = serializing(T.self) {
            ResponseSerialization.$limitOfFile.withValue(limit) {
                responseSerializer.serializeResponse(
                    request, response, files.destinationURL ?? files.temporaryURL, delegate.error)
            }
        }
        return DownloadResponse(
            request: request, response: response, temporaryURL: files.temporaryURL,
            destinationURL: files.destinationURL, resumeData: files.resumeData, result: result,
            timeline: timeline
        ).with(metrics)
    }

    private struct Files {
        var temporaryURL: URL?
        var destinationURL: URL?
        var resumeData: Data?
    }

    private var files: Files {
        state.withLock {
            Files(
                temporaryURL: $0.temporaryURL, destinationURL: $0.destinationURL,
                resumeData: $0.resumeData)
        }
    }
}
