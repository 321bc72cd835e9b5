public import Foundation
public import FoundationNetworking
public import SessionTasks

// These methods have no progress block. Without them, the compiler would take a single trailing closure for the progress
// block, because that is the first parameter for which it can stand.

extension URLSessionManager {
    /// Like `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`, without progress blocks.
    @_disfavoredOverload
    @preconcurrency
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping CompletionHandler
    ) -> SessionDataTask {
        dataTask(
            with: request, uploadProgress: nil, downloadProgress: nil,
            completionHandler: completionHandler)
    }

    /// Like `uploadTask(with:fromFile:progress:completionHandler:)`, without progress blocks.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping CompletionHandler
    ) -> SessionUploadTask {
        uploadTask(
            with: request, fromFile: fileURL, progress: nil, completionHandler: completionHandler)
    }

    /// Like `uploadTask(with:from:progress:completionHandler:)`, without progress blocks.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping CompletionHandler
    ) -> SessionUploadTask {
        uploadTask(
            with: request, from: bodyData, progress: nil, completionHandler: completionHandler)
    }

    /// Like `uploadTask(withStreamedRequest:progress:completionHandler:)`, without progress blocks.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        withStreamedRequest request: URLRequest, completionHandler: @escaping CompletionHandler
    ) -> SessionUploadTask {
        uploadTask(
            withStreamedRequest: request, progress: nil, completionHandler: completionHandler)
    }

    /// Like `downloadTask(with:progress:destination:completionHandler:)`, without progress blocks.
    @_disfavoredOverload
    @preconcurrency
    public func downloadTask(
        with request: URLRequest, destination: Destination? = nil,
        completionHandler: @escaping DownloadCompletionHandler
    ) -> SessionDownloadTask {
        downloadTask(
            with: request, progress: nil, destination: destination,
            completionHandler: completionHandler)
    }

    /// Like `downloadTask(withResumeData:progress:destination:completionHandler:)`, without progress blocks.
    @_disfavoredOverload
    @preconcurrency
    public func downloadTask(
        withResumeData resumeData: Data, destination: Destination? = nil,
        completionHandler: @escaping DownloadCompletionHandler
    ) -> SessionDownloadTask {
        downloadTask(
            withResumeData: resumeData, progress: nil, destination: destination,
            completionHandler: completionHandler)
    }
}
