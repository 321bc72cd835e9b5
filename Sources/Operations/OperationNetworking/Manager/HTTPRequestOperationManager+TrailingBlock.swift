// In Swift 5 mode the compiler takes a single trailing block for `failure`, the last parameter. These forms do not have
// that parameter. Their block has no default: at the top level of a program, a call without blocks is the `async` one.

extension HTTPRequestOperationManager {
    /// Like `get(_:parameters:success:failure:)`, without a `failure`.
    @preconcurrency
    @discardableResult
    public func get(
        _ urlString: String, parameters: Any? = nil, success: @escaping Success
    ) -> HTTPRequestOperation? {
        get(urlString, parameters: parameters, success: success, failure: nil)
    }

    /// Like `post(_:parameters:success:failure:)`, without a `failure`.
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, success: @escaping Success
    ) -> HTTPRequestOperation? {
        post(urlString, parameters: parameters, success: success, failure: nil)
    }

    /// Like `post(_:parameters:constructingBody:success:failure:)`, without a `failure`.
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil,
        constructingBody: (any MultipartFormData) -> Void, success: @escaping Success
    ) -> HTTPRequestOperation? {
        post(
            urlString, parameters: parameters, constructingBody: constructingBody,
            success: success, failure: nil)
    }

    /// Like `put(_:parameters:success:failure:)`, without a `failure`.
    @preconcurrency
    @discardableResult
    public func put(
        _ urlString: String, parameters: Any? = nil, success: @escaping Success
    ) -> HTTPRequestOperation? {
        put(urlString, parameters: parameters, success: success, failure: nil)
    }

    /// Like `patch(_:parameters:success:failure:)`, without a `failure`.
    @preconcurrency
    @discardableResult
    public func patch(
        _ urlString: String, parameters: Any? = nil, success: @escaping Success
    ) -> HTTPRequestOperation? {
        patch(urlString, parameters: parameters, success: success, failure: nil)
    }

    /// Like `delete(_:parameters:success:failure:)`, without a `failure`.
    @preconcurrency
    @discardableResult
    public func delete(
        _ urlString: String, parameters: Any? = nil, success: @escaping Success
    ) -> HTTPRequestOperation? {
        delete(urlString, parameters: parameters, success: success, failure: nil)
    }

    // MARK: - With a failure alone

    /// Like `get(_:parameters:success:failure:)`, without a `success`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func get(
        _ urlString: String, parameters: Any? = nil, failure: Failure?
    ) -> HTTPRequestOperation? {
        get(urlString, parameters: parameters, success: nil, failure: failure)
    }

    /// Like `head(_:parameters:success:failure:)`, without a `success`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func head(
        _ urlString: String, parameters: Any? = nil, failure: Failure?
    ) -> HTTPRequestOperation? {
        head(urlString, parameters: parameters, success: nil, failure: failure)
    }

    /// Like `post(_:parameters:success:failure:)`, without a `success`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, failure: Failure?
    ) -> HTTPRequestOperation? {
        post(urlString, parameters: parameters, success: nil, failure: failure)
    }

    /// Like `post(_:parameters:constructingBody:success:failure:)`, without a `success`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil,
        constructingBody: (any MultipartFormData) -> Void, failure: Failure?
    ) -> HTTPRequestOperation? {
        post(
            urlString, parameters: parameters, constructingBody: constructingBody, success: nil,
            failure: failure)
    }

    /// Like `put(_:parameters:success:failure:)`, without a `success`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func put(
        _ urlString: String, parameters: Any? = nil, failure: Failure?
    ) -> HTTPRequestOperation? {
        put(urlString, parameters: parameters, success: nil, failure: failure)
    }

    /// Like `patch(_:parameters:success:failure:)`, without a `success`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func patch(
        _ urlString: String, parameters: Any? = nil, failure: Failure?
    ) -> HTTPRequestOperation? {
        patch(urlString, parameters: parameters, success: nil, failure: failure)
    }

    /// Like `delete(_:parameters:success:failure:)`, without a `success`.
    @_disfavoredOverload
    @preconcurrency
    @discardableResult
    public func delete(
        _ urlString: String, parameters: Any? = nil, failure: Failure?
    ) -> HTTPRequestOperation? {
        delete(urlString, parameters: parameters, success: nil, failure: failure)
    }
}
