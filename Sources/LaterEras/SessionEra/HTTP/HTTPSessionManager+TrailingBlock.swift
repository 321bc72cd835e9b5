public import OperationNetworking
public import SessionTasks

// The compiler matches a trailing block with `progress`, the first parameter that fits, or, in
// Swift 5 mode, with `failure`. These forms lack those parameters, so that it matches `success`.

extension HTTPSessionManager {
    /// Like `post(_:parameters:headers:constructingBodyWith:progress:success:failure:)`, with a
    /// `success` alone.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        constructingBodyWith constructingBody: ((any MultipartFormData) -> Void)?,
        success: @escaping Success
    ) -> SessionDataTask? {
        post(
            urlString, parameters: parameters, headers: headers,
            constructingBodyWith: constructingBody, progress: nil, success: success, failure: nil)
    }

    /// Like `get(_:parameters:headers:progress:success:failure:)`, with a `success` alone.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func get(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: @escaping Success
    ) -> SessionDataTask? {
        get(
            urlString, parameters: parameters, headers: headers, progress: nil, success: success,
            failure: nil)
    }

    /// Like `get(_:parameters:headers:progress:success:failure:)`, without `progress`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func get(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: @escaping Success, failure: @escaping Failure
    ) -> SessionDataTask? {
        get(
            urlString, parameters: parameters, headers: headers, progress: nil, success: success,
            failure: failure)
    }

    /// Like `post(_:parameters:headers:progress:success:failure:)`, with a `success` alone.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: @escaping Success
    ) -> SessionDataTask? {
        post(
            urlString, parameters: parameters, headers: headers, progress: nil, success: success,
            failure: nil)
    }

    /// Like `post(_:parameters:headers:progress:success:failure:)`, without `progress`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: @escaping Success, failure: @escaping Failure
    ) -> SessionDataTask? {
        post(
            urlString, parameters: parameters, headers: headers, progress: nil, success: success,
            failure: failure)
    }

    /// Like `put(_:parameters:headers:success:failure:)`, with a `success` alone.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func put(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: @escaping Success
    ) -> SessionDataTask? {
        put(
            urlString, parameters: parameters, headers: headers, success: success,
            failure: nil)
    }

    /// Like `patch(_:parameters:headers:success:failure:)`, with a `success` alone.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func patch(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: @escaping Success
    ) -> SessionDataTask? {
        patch(
            urlString, parameters: parameters, headers: headers, success: success,
            failure: nil)
    }

    /// Like `delete(_:parameters:headers:success:failure:)`, with a `success` alone.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func delete(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: @escaping Success
    ) -> SessionDataTask? {
        delete(
            urlString, parameters: parameters, headers: headers, success: success,
            failure: nil)
    }

    // MARK: - Without a success

    /// Like `get(_:parameters:headers:progress:success:failure:)`,
    /// with `progress` alone.
    @_disfavoredOverload
    @discardableResult
    public func get(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        progress: ProgressBlock?
    ) -> SessionDataTask? {
        get(
            urlString, parameters: parameters, headers: headers,
            progress: progress, success: nil, failure: nil)
    }

    /// Like `post(_:parameters:headers:progress:success:failure:)`,
    /// with `progress` alone.
    @_disfavoredOverload
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        progress: ProgressBlock?
    ) -> SessionDataTask? {
        post(
            urlString, parameters: parameters, headers: headers,
            progress: progress, success: nil, failure: nil)
    }

    /// Like `post(_:parameters:headers:constructingBodyWith:progress:success:failure:)`,
    /// with `progress` alone.
    @_disfavoredOverload
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        constructingBodyWith constructingBody: ((any MultipartFormData) -> Void)?,
        progress: ProgressBlock?
    ) -> SessionDataTask? {
        post(
            urlString, parameters: parameters, headers: headers,
            constructingBodyWith: constructingBody,
            progress: progress, success: nil, failure: nil)
    }
}
