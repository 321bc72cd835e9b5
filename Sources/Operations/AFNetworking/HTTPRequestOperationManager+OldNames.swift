import Foundation
public import FoundationNetworking
public import OperationNetworking

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

    /// Makes the operation for a request, with a failure block whose operation is not optional.
    ///
    /// It calls the method that a subclass overrides. Called as `super` from an override with the old types, it makes
    /// the base class's operation.
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

    /// Makes the operation for a request without a failure block; otherwise like the method with one.
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

/// Whether the thread is already inside a manager's method, so that an override that calls `super` under another name
/// does not recurse.
private enum Overridden {
    private static let key = "com.alamofire.networking.overridden"

    /// - Returns: nil if the thread is already inside.
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
