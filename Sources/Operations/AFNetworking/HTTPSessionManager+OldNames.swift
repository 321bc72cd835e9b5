import Foundation
public import FoundationNetworking
public import OperationNetworking
public import SessionEra

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
