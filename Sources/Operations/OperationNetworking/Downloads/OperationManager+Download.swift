public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Locking

extension OperationManager {
    /// Downloads a file, and continues an earlier download to the same destination.
    ///
    /// ```swift
    /// manager.download(URLRequest(url: url), to: URL(filePath: "image.iso")) { result in
    ///     switch result {
    ///     case .success(let file): print(file.length, file.sha256)
    ///     case .failure(let error): print(error)
    ///     }
    /// }
    /// ```
    ///
    /// The file exists when it is complete, and not before; see `FileDownloadOperation`. A download counts as one
    /// operation of the queue, with all its tries.
    ///
    /// - Parameters:
    ///   - file: a file URL; its folder must exist.
    ///   - completion: called once, last, on the manager's completion queue or main. It has no default, so that
    ///     a call without blocks is the `async` one.
    ///   - progress: called on the same queue.
    /// - Returns: the operation, already in the queue; `cancel()` keeps the part.
    @discardableResult
    public func download(
        _ request: URLRequest, to file: URL, options: DownloadOptions = DownloadOptions(),
        completion: (@Sendable (Result<DownloadedFile, any Error>) -> Void)?,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) -> FileDownloadOperation {
        let download = fileDownloadOperation(request, to: file, options: options)
        download.setProgressBlock(progress)
        download.setResultBlock(completion)
        enqueue(download)
        return download
    }

    /// As the other `download`, with a progress block alone.
    @_disfavoredOverload
    @discardableResult
    public func download(
        _ request: URLRequest, to file: URL, options: DownloadOptions = DownloadOptions(),
        progress: (@Sendable (DownloadProgress) -> Void)?
    ) -> FileDownloadOperation {
        download(request, to: file, options: options, completion: nil, progress: progress)
    }

    /// Downloads a file. When the task is cancelled, the download is cancelled, which keeps the part.
    ///
    /// - Returns: the complete file.
    /// - Throws: `DownloadError`, `URLError`.
    public func download(
        _ request: URLRequest, to file: URL, options: DownloadOptions = DownloadOptions()
    ) async throws -> DownloadedFile {
        try await awaitedDownload(request, nil, to: file, options)
    }

    /// As the other `async` one, with a progress block. That comes before the file, since a block behind the file is
    /// always a completion.
    ///
    /// - Parameter progress: called on the queue that writes the file, not concurrently, and not after the return.
    public func download(
        _ request: URLRequest, progress: @escaping @Sendable (DownloadProgress) -> Void,
        to file: URL, options: DownloadOptions = DownloadOptions()
    ) async throws -> DownloadedFile {
        try await awaitedDownload(request, progress, to: file, options)
    }

    private func awaitedDownload(
        _ request: URLRequest, _ progress: (@Sendable (DownloadProgress) -> Void)?, to file: URL,
        _ options: DownloadOptions
    ) async throws -> DownloadedFile {
        let download = fileDownloadOperation(request, to: file, options: options)
        download.setProgressBlock(progress)
        let result = Awaited<DownloadedFile>()
        return try await withTaskCancellationHandler {
            try await result.value {
                // Not main, which may be busy or not run at all.
                download.completionQueue = download.disk
                download.setResultBlock { result.give($0) }
                enqueue(download)
            }
        } onCancel: {
            download.cancel()
            // A download that was not started has no part to close, and may wait long for its start.
            if download.state.withLock({ $0.phase == .ready }) {
                result.give(.failure(URLError(.cancelled, url: request.url)))
            }
        }
    }

    /// A download with the manager's current settings. It is not added to the queue.
    public func fileDownloadOperation(
        _ request: URLRequest, to file: URL, options: DownloadOptions = DownloadOptions()
    ) -> FileDownloadOperation {
        let download = FileDownloadOperation(
            request, to: file, options: options, prepare: preparation)
        download.completionQueue = callbackQueue
        return download
    }
}

extension HTTPRequestOperationManager {
    /// Downloads a file by a GET that `requestSerializer` makes, as for `get`.
    ///
    /// - Parameters:
    ///   - urlString: an absolute URL, or a path relative to `baseURL`.
    ///   - parameters: encoded in the query.
    /// - Returns: the operation, already in the queue; nil if the request could not be made, and `completion` is
    ///   called with the error.
    @discardableResult
    public func download(
        _ urlString: String, parameters: Any? = nil, to file: URL,
        options: DownloadOptions = DownloadOptions(),
        completion: (@Sendable (Result<DownloadedFile, any Error>) -> Void)?,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) -> FileDownloadOperation? {
        do {
            return download(
                try downloadRequest(urlString, parameters), to: file, options: options,
                completion: completion, progress: progress)
        } catch {
            (completionQueue ?? .main).async { completion?(.failure(error)) }
            return nil
        }
    }

    /// As the other `download`, with a progress block alone.
    @_disfavoredOverload
    @discardableResult
    public func download(
        _ urlString: String, parameters: Any? = nil, to file: URL,
        options: DownloadOptions = DownloadOptions(),
        progress: (@Sendable (DownloadProgress) -> Void)?
    ) -> FileDownloadOperation? {
        download(
            urlString, parameters: parameters, to: file, options: options, completion: nil,
            progress: progress)
    }

    /// Downloads a file by a GET. When the task is cancelled, the download is cancelled, which keeps the part.
    ///
    /// - Returns: the complete file.
    /// - Throws: `DownloadError`, `URLError`, or the error of `requestSerializer`.
    public func download(
        _ urlString: String, parameters: Any? = nil, to file: URL,
        options: DownloadOptions = DownloadOptions()
    ) async throws -> DownloadedFile {
        try await download(
            try downloadRequest(urlString, parameters), to: file, options: options)
    }

    /// As the other `async` one, with a progress block; see `download(_:progress:to:options:)`.
    public func download(
        _ urlString: String, parameters: Any? = nil,
        progress: @escaping @Sendable (DownloadProgress) -> Void, to file: URL,
        options: DownloadOptions = DownloadOptions()
    ) async throws -> DownloadedFile {
        try await download(
            try downloadRequest(urlString, parameters), progress: progress, to: file,
            options: options)
    }

    private func downloadRequest(_ urlString: String, _ parameters: Any?) throws -> URLRequest {
        try requestSerializer.request(
            method: "GET", urlString: RequestPath.resolve(urlString, against: baseURL),
            parameters: parameters)
    }
}
