public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Locking

extension OperationManager {
    /// Downloads into a file, and goes on with what an earlier download to that place left.
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
    /// The file is there when it is whole, and not before; see `FileDownloadOperation`. It counts as one
    /// operation of the queue, with all its tries.
    ///
    /// - Parameters:
    ///   - file: a file URL; its folder must exist.
    ///   - completion: called once, last, on the manager's completion queue or main. It has no default, so that
    ///     a call without blocks is the one that a task waits for.
    ///   - progress: called there, at most once at a time.
    /// - Returns: the operation, already in the queue; cancelled, it keeps the part.
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

    /// The same with progress alone.
    @_disfavoredOverload
    @discardableResult
    public func download(
        _ request: URLRequest, to file: URL, options: DownloadOptions = DownloadOptions(),
        progress: (@Sendable (DownloadProgress) -> Void)?
    ) -> FileDownloadOperation {
        download(request, to: file, options: options, completion: nil, progress: progress)
    }

    /// Downloads into a file; a cancelled task cancels the download, which keeps the part.
    ///
    /// - Returns: the file, which is whole.
    /// - Throws: `DownloadError`, `URLError`.
    public func download(
        _ request: URLRequest, to file: URL, options: DownloadOptions = DownloadOptions()
    ) async throws -> DownloadedFile {
        try await awaitedDownload(request, nil, to: file, options)
    }

    /// The same with progress. It comes before the file, so that a block behind the file is always a completion.
    ///
    /// - Parameter progress: called at most once at a time, and not after the return, on the queue that writes the
    ///   file, which waits for it.
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
                // Not on main, which may be busy, or which nobody runs.
                download.completionQueue = download.disk
                download.setResultBlock { result.give($0) }
                enqueue(download)
            }
        } onCancel: {
            download.cancel()
            // One that was never started has no part to give free, and may wait long for its place.
            if download.state.withLock({ $0.phase == .ready }) {
                result.give(.failure(URLError(.cancelled, url: request.url)))
            }
        }
    }

    /// A download with the manager's settings as they are now; it is not added to the queue.
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
    /// Downloads into a file by a GET that `requestSerializer` builds, as `get` does.
    ///
    /// - Parameters:
    ///   - urlString: an absolute URL, or a path relative to `baseURL` (MG-2).
    ///   - parameters: go into the query.
    /// - Returns: the operation, already in the queue; nil where no request could be built, and then
    ///   `completion` is called with the error.
    @discardableResult
    public func download(
        _ urlString: String, parameters: Any? = nil, to file: URL,
        options: DownloadOptions = DownloadOptions(),
        completion: (@Sendable (Result<DownloadedFile, any Error>) -> Void)?,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) -> FileDownloadOperation? {
        do {
            let request = try requestSerializer.request(
                method: "GET", urlString: RequestPath.resolve(urlString, against: baseURL),
                parameters: parameters)
            return download(
                request, to: file, options: options, completion: completion, progress: progress)
        } catch {
            (completionQueue ?? .main).async { completion?(.failure(error)) }
            return nil
        }
    }

    /// The same with progress alone.
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

    /// The same for a task, whose cancel keeps the part.
    ///
    /// - Returns: the file, which is whole.
    /// - Throws: `DownloadError`, `URLError`; what the serializer throws.
    public func download(
        _ urlString: String, parameters: Any? = nil, to file: URL,
        options: DownloadOptions = DownloadOptions()
    ) async throws -> DownloadedFile {
        let request = try requestSerializer.request(
            method: "GET", urlString: RequestPath.resolve(urlString, against: baseURL),
            parameters: parameters)
        return try await download(request, to: file, options: options)
    }

    /// The same with progress; see `download(_:progress:to:options:)`.
    public func download(
        _ urlString: String, parameters: Any? = nil,
        progress: @escaping @Sendable (DownloadProgress) -> Void, to file: URL,
        options: DownloadOptions = DownloadOptions()
    ) async throws -> DownloadedFile {
        let request = try requestSerializer.request(
            method: "GET", urlString: RequestPath.resolve(urlString, against: baseURL),
            parameters: parameters)
        return try await download(request, progress: progress, to: file, options: options)
    }
}
