public import Foundation
public import FoundationNetworking
public import SessionTasks

// A lone trailing block would be taken for a progress block, the first parameter it could be; a
// form without those leaves the compiler no choice.

extension URLSessionManager {
    /// As `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`, without progress.
    @_disfavoredOverload
    @preconcurrency
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping CompletionHandler
    ) -> SessionDataTask {
        dataTask(
            with: request, uploadProgress: nil, downloadProgress: nil,
            completionHandler: completionHandler)
    }

    /// As `uploadTask(with:fromFile:progress:completionHandler:)`, without progress.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping CompletionHandler
    ) -> SessionUploadTask {
        uploadTask(
            with: request, fromFile: fileURL, progress: nil, completionHandler: completionHandler)
    }

    /// As `uploadTask(with:from:progress:completionHandler:)`, without progress.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping CompletionHandler
    ) -> SessionUploadTask {
        uploadTask(
            with: request, from: bodyData, progress: nil, completionHandler: completionHandler)
    }

    /// As `uploadTask(withStreamedRequest:progress:completionHandler:)`, without progress.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        withStreamedRequest request: URLRequest, completionHandler: @escaping CompletionHandler
    ) -> SessionUploadTask {
        uploadTask(
            withStreamedRequest: request, progress: nil, completionHandler: completionHandler)
    }

    /// As `downloadTask(with:progress:destination:completionHandler:)`, without progress.
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

    /// As `downloadTask(withResumeData:progress:destination:completionHandler:)`, without progress.
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
