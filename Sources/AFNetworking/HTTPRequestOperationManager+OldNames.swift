public import FoundationNetworking
public import OperationNetworking

// The other verbs are spelled as they were.

extension HTTPRequestOperationManager {
    /// Sends a multipart POST whose parts the block appends.
    @available(
        *, deprecated, renamed: "post(_:parameters:constructingBody:success:failure:)"
    )
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any?,
        constructingBodyWith block: ((any MultipartFormData) -> Void)?,
        success: Success?, failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        post(
            urlString, parameters: parameters, constructingBody: { block?($0) },
            success: success, failure: failure)
    }

    /// Makes the operation for a request, for blocks that name the failed operation without `?`.
    ///
    /// It makes what the base class makes, so that an override in the old spelling can call it as
    /// `super`. It is generic for that override's sake too: it must not seem to be overridden.
    @_disfavoredOverload
    @available(*, deprecated, message: "write HTTPRequestOperation? in the failure block")
    @preconcurrency
    public func httpRequestOperation<Failed: HTTPRequestOperation>(
        with request: URLRequest, success: Success?,
        failure: (@Sendable (Failed, any Error) -> Void)?
    ) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: request)
        configure(operation)
        operation.setCompletionBlock(success: success) { operation, error in
            if let failed = operation as? Failed { failure?(failed, error) }
        }
        return operation
    }

    /// Makes the operation for a request that nobody hears fail.
    @available(*, deprecated, message: "pass nil as failure")
    @preconcurrency
    public func httpRequestOperation(
        with request: URLRequest, success: Success?
    ) -> HTTPRequestOperation {
        httpRequestOperation(with: request, success: success, failure: nil as Failure?)
    }
}
