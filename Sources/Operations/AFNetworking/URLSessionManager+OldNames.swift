public import Foundation
public import FoundationNetworking
public import OperationNetworking
public import SessionEra

// The methods for sources that name Foundation's tasks; see `FoundationTasks`. Without a response the old blocks get an
// empty one, because their parameter is not optional.

// MARK: - Tasks

extension URLSessionManager {
    /// Makes a suspended data task.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    public func dataTask(
        with request: URLRequest, uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask {
        oldTask(
            dataTask(
                with: request, uploadProgress: uploadProgress,
                downloadProgress: downloadProgress,
                completionHandler: Old.handler(completionHandler, request)))
    }

    /// Makes a suspended upload task of a file.
    @available(*, deprecated, message: "write SessionUploadTask in place of URLSessionUploadTask")
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL, progress: ProgressBlock? = nil,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        oldTask(
            uploadTask(
                with: request, fromFile: fileURL, progress: progress,
                completionHandler: Old.handler(completionHandler, request)))
    }

    /// Makes a suspended upload task of bytes.
    @available(*, deprecated, message: "write SessionUploadTask in place of URLSessionUploadTask")
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?, progress: ProgressBlock? = nil,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        oldTask(
            uploadTask(
                with: request, from: bodyData, progress: progress,
                completionHandler: Old.handler(completionHandler, request)))
    }

    /// Makes a suspended upload task of the request's stream.
    @available(*, deprecated, message: "write SessionUploadTask in place of URLSessionUploadTask")
    @preconcurrency
    public func uploadTask(
        withStreamedRequest request: URLRequest, progress: ProgressBlock? = nil,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        oldTask(
            uploadTask(
                withStreamedRequest: request, progress: progress,
                completionHandler: Old.handler(completionHandler, request)))
    }

    /// Makes a suspended download task.
    @available(
        *, deprecated, message: "write SessionDownloadTask in place of URLSessionDownloadTask"
    )
    @preconcurrency
    public func downloadTask(
        with request: URLRequest, progress: ProgressBlock? = nil, destination: Destination? = nil,
        completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?
    ) -> URLSessionDownloadTask {
        oldTask(
            downloadTask(
                with: request, progress: progress, destination: destination,
                completionHandler: Old.handler(completionHandler, request)))
    }

    /// Makes a suspended download task that continues a cancelled one.
    @available(
        *, deprecated, message: "write SessionDownloadTask in place of URLSessionDownloadTask"
    )
    @preconcurrency
    public func downloadTask(
        withResumeData resumeData: Data, progress: ProgressBlock? = nil,
        destination: Destination? = nil,
        completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?
    ) -> URLSessionDownloadTask {
        oldTask(
            downloadTask(
                withResumeData: resumeData, progress: progress, destination: destination,
                completionHandler: Old.handler(completionHandler, nil)))
    }
}

// MARK: - Session and progress

extension URLSessionManager {
    /// Invalidates the session without making a new one, as in 2.x and 3.x.
    @available(*, deprecated, renamed: "invalidateSessionCancelingTasks(_:resetSession:)")
    public func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool) {
        invalidateSessionCancelingTasks(cancelPendingTasks, resetSession: false)
    }

    /// The upload's progress; nil after the end, and for a task of another manager.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionTask in place of URLSessionTask")
    public func uploadProgress(for task: URLSessionTask) -> Progress? {
        task.ownTask.flatMap { uploadProgress(for: $0) }
    }

    /// The download's progress; nil after the end, and for a task of another manager.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionTask in place of URLSessionTask")
    public func downloadProgress(for task: URLSessionTask) -> Progress? {
        task.ownTask.flatMap { downloadProgress(for: $0) }
    }

    /// Ignored: there are no background sessions on Linux.
    @available(*, deprecated, message: "has no meaning on Linux; delete it")
    public var attemptsToRecreateUploadTasksForBackgroundSessions: Bool {
        get { false }
        set {}
    }
}

extension URLSessionManager: OldTypes {}

extension OldTypes where Self: URLSessionManager {
    /// The tasks that have not ended.
    @available(*, deprecated, message: "is [SessionTask]")
    public var tasks: [URLSessionTask] {
        (tasks as [SessionTask]).map { oldTask($0) }
    }

    /// The data tasks of `tasks`, without uploads.
    @available(*, deprecated, message: "is [SessionDataTask]")
    public var dataTasks: [URLSessionDataTask] {
        (dataTasks as [SessionDataTask]).map { oldTask($0) }
    }

    /// The upload tasks of `tasks`.
    @available(*, deprecated, message: "is [SessionUploadTask]")
    public var uploadTasks: [URLSessionUploadTask] {
        (uploadTasks as [SessionUploadTask]).map { oldTask($0) }
    }

    /// The download tasks of `tasks`.
    @available(*, deprecated, message: "is [SessionDownloadTask]")
    public var downloadTasks: [URLSessionDownloadTask] {
        (downloadTasks as [SessionDownloadTask]).map { oldTask($0) }
    }
}

// MARK: - Blocks in the old types

extension URLSessionManager {
    // Each task is retained until its blocks were called: a caller's reference may be weak, because
    // Foundation's session retains its tasks.

    func oldTask(_ task: SessionTask) -> URLSessionTask { kept(FoundationTasks.task(for: task)) }
    func oldTask(_ task: SessionDataTask) -> URLSessionDataTask {
        kept(FoundationTasks.task(for: task))
    }
    func oldTask(_ task: SessionUploadTask) -> URLSessionUploadTask {
        kept(FoundationTasks.task(for: task))
    }
    func oldTask(_ task: SessionDownloadTask) -> URLSessionDownloadTask {
        kept(FoundationTasks.task(for: task))
    }

    private func kept<Task: URLSessionTask>(_ task: Task) -> Task {
        if let handle = task.ownTask { keep(task, until: handle) }
        return task
    }
}

/// Converts blocks with the old types.
enum Old {
    static func handler(
        _ block: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?, _ request: URLRequest
    ) -> URLSessionManager.CompletionHandler? {
        guard let block else { return nil }
        return { response, object, error in block(response ?? none(request), object, error) }
    }

    static func handler(
        _ block: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?, _ request: URLRequest?
    ) -> URLSessionManager.DownloadCompletionHandler? {
        guard let block else { return nil }
        return { response, file, error in block(response ?? none(request), file, error) }
    }

    /// A response without a type, a length or a status.
    private static func none(_ request: URLRequest?) -> URLResponse {
        URLResponse(
            url: request?.url ?? URL(fileURLWithPath: "/"), mimeType: nil,
            expectedContentLength: -1, textEncodingName: nil)
    }
}

// The methods for sources that name `URLSessionDataTask`: with `headers` as in 4.x, with `progress` as in 3.x, and with
// neither as in 2.x.

extension HTTPSessionManager {
    /// A success block in the old types.
    public typealias OldSuccess = @Sendable (URLSessionDataTask, Any?) -> Void
    /// A failure block in the old types.
    public typealias OldFailure = @Sendable (URLSessionDataTask?, any Error) -> Void

    /// Makes the task of a method without resuming it.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    public func dataTask(
        withHTTPMethod method: String, urlString: String, parameters: Any?,
        headers: [String: String]?, uploadProgress: ProgressBlock?,
        downloadProgress: ProgressBlock?, success: OldSuccess?, failure: OldFailure? = nil
    ) -> URLSessionDataTask? {
        dataTask(
            withHTTPMethod: method, urlString: urlString, parameters: parameters, headers: headers,
            uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            success: Old.success(success), failure: Old.failure(failure)
        ).map { oldTask($0) }
    }

    /// Sends a GET.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    @discardableResult
    public func get(
        _ urlString: String, parameters: Any?, headers: [String: String]? = nil,
        progress: ProgressBlock? = nil, success: OldSuccess?, failure: OldFailure? = nil
    ) -> URLSessionDataTask? {
        get(
            urlString, parameters: parameters, headers: headers, progress: progress,
            success: Old.success(success), failure: Old.failure(failure)
        ).map { oldTask($0) }
    }

    /// Sends a HEAD.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    @discardableResult
    public func head(
        _ urlString: String, parameters: Any?, headers: [String: String]? = nil,
        success: (@Sendable (URLSessionDataTask) -> Void)?, failure: OldFailure? = nil
    ) -> URLSessionDataTask? {
        head(
            urlString, parameters: parameters, headers: headers,
            success: { success?(FoundationTasks.task(for: $0)) },
            failure: Old.failure(failure)
        ).map { oldTask($0) }
    }

    /// Sends a POST.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any?, headers: [String: String]? = nil,
        progress: ProgressBlock? = nil, success: OldSuccess?, failure: OldFailure? = nil
    ) -> URLSessionDataTask? {
        post(
            urlString, parameters: parameters, headers: headers, progress: progress,
            success: Old.success(success), failure: Old.failure(failure)
        ).map { oldTask($0) }
    }

    /// Sends a POST with a multipart form.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any?, headers: [String: String]? = nil,
        constructingBodyWith block: ((any MultipartFormData) -> Void)?,
        progress: ProgressBlock? = nil, success: OldSuccess?, failure: OldFailure? = nil
    ) -> URLSessionDataTask? {
        post(
            urlString, parameters: parameters, headers: headers, constructingBodyWith: block,
            progress: progress, success: Old.success(success), failure: Old.failure(failure)
        ).map { oldTask($0) }
    }

    /// Sends a PUT.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    @discardableResult
    public func put(
        _ urlString: String, parameters: Any?, headers: [String: String]? = nil,
        success: OldSuccess?, failure: OldFailure? = nil
    ) -> URLSessionDataTask? {
        put(
            urlString, parameters: parameters, headers: headers, success: Old.success(success),
            failure: Old.failure(failure)
        ).map { oldTask($0) }
    }

    /// Sends a PATCH.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    @discardableResult
    public func patch(
        _ urlString: String, parameters: Any?, headers: [String: String]? = nil,
        success: OldSuccess?, failure: OldFailure? = nil
    ) -> URLSessionDataTask? {
        patch(
            urlString, parameters: parameters, headers: headers, success: Old.success(success),
            failure: Old.failure(failure)
        ).map { oldTask($0) }
    }

    /// Sends a DELETE.
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    @discardableResult
    public func delete(
        _ urlString: String, parameters: Any?, headers: [String: String]? = nil,
        success: OldSuccess?, failure: OldFailure? = nil
    ) -> URLSessionDataTask? {
        delete(
            urlString, parameters: parameters, headers: headers, success: Old.success(success),
            failure: Old.failure(failure)
        ).map { oldTask($0) }
    }
}

extension Old {
    static func success(_ block: HTTPSessionManager.OldSuccess?) -> HTTPSessionManager.Success? {
        guard let block else { return nil }
        return { task, object in block(FoundationTasks.task(for: task), object) }
    }

    static func failure(_ block: HTTPSessionManager.OldFailure?) -> HTTPSessionManager.Failure? {
        guard let block else { return nil }
        return { task, error in block(task.map { FoundationTasks.task(for: $0) }, error) }
    }
}
