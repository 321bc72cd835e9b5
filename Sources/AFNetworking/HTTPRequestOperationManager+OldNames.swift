import Foundation
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
    /// It ends in the method that a subclass overrides. That one, in the old spelling, finds this one
    /// as its `super`; so what a method of the same name calls makes what the base class makes.
    @_disfavoredOverload
    @available(*, deprecated, message: "write HTTPRequestOperation? in the failure block")
    @preconcurrency
    public func httpRequestOperation(
        with request: URLRequest, success: Success?,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?,
        calledFrom caller: String = #function
    ) -> HTTPRequestOperation {
        makeOperation(request, success, Old.failure(failure), caller)
    }

    /// Makes the operation for a request that nobody hears fail; otherwise as the form with `failure`.
    @available(*, deprecated, message: "pass nil as failure")
    @preconcurrency
    public func httpRequestOperation(
        with request: URLRequest, success: Success?, calledFrom caller: String = #function
    ) -> HTTPRequestOperation {
        makeOperation(request, success, nil, caller)
    }

    private func makeOperation(
        _ request: URLRequest, _ success: Success?, _ failure: Failure?, _ caller: String
    ) -> HTTPRequestOperation {
        let isSuper = caller == "httpRequestOperation(with:success:failure:)"
        let made =
            isSuper
            ? nil
            : Overridden.call(on: self) {
                httpRequestOperation(with: request, success: success, failure: failure)
            }
        if let made { return made }
        let operation = HTTPRequestOperation(request: request)
        configure(operation)
        operation.setCompletionBlock(success: success, failure: failure)
        return operation
    }
}

/// Tells whether a thread is inside a manager's method already: an override that calls `super` from a
/// method of another name would otherwise never end.
private enum Overridden {
    private static let key = "com.alamofire.networking.overridden"

    /// - Returns: nil where the thread is inside it.
    static func call(
        on manager: HTTPRequestOperationManager, _ method: () -> HTTPRequestOperation
    ) -> HTTPRequestOperation? {
        let marks = Thread.current.threadDictionary
        let outer = marks[key]
        if outer as AnyObject? === manager { return nil }
        marks[key] = manager
        defer { marks[key] = outer }
        return method()
    }
}

extension Old {
    fileprivate static func failure(
        _ block: (@Sendable (HTTPRequestOperation, any Error) -> Void)?
    ) -> HTTPRequestOperationManager.Failure? {
        guard let block else { return nil }
        return { operation, error in
            if let operation { block(operation, error) }
        }
    }
}
