public import CurlConnection
import Foundation
public import FoundationNetworking
public import OperationNetworking

// MARK: - Blocks

// `@preconcurrency` lets sources in Swift 5 mode pass any block; Swift 6 mode checks.

extension URLConnectionOperation {
    /// Sets the block for sent bytes, with a `UInt`; the parameters of a block without types are `Int64`.
    @_disfavoredOverload
    @available(*, deprecated, message: "write Int64 in place of UInt")
    @preconcurrency
    public func setUploadProgressBlock(_ block: (@Sendable (UInt, Int64, Int64) -> Void)?) {
        setUploadProgressBlock(block.map { counting($0) })
    }

    /// Sets the block for received bytes, with a `UInt`; the parameters of a block without types are `Int64`.
    @_disfavoredOverload
    @available(*, deprecated, message: "write Int64 in place of UInt")
    @preconcurrency
    public func setDownloadProgressBlock(_ block: (@Sendable (UInt, Int64, Int64) -> Void)?) {
        setDownloadProgressBlock(block.map { counting($0) })
    }

    /// Sets the block that answers every challenge, on the network thread.
    @available(*, deprecated, renamed: "setWillSendRequestForAuthenticationChallengeBlock(_:)")
    @preconcurrency
    public func setWillSendRequestForAuthenticationChallenge(
        _ block: (@Sendable (URLConnection, URLAuthenticationChallenge) -> Void)?
    ) {
        setWillSendRequestForAuthenticationChallengeBlock(block)
    }

    /// Sets the block that decides about each redirect, with a response that is not optional. It is not called for the
    /// first request, which has no response.
    @_disfavoredOverload
    @available(*, deprecated, message: "write URLResponse? in place of URLResponse")
    @preconcurrency
    public func setRedirectResponseBlock(
        _ block: (@Sendable (URLConnection, URLRequest, URLResponse) -> URLRequest?)?
    ) {
        guard let block else { return setRedirectResponseBlock(nil) }
        setRedirectResponseBlock { (connection, request, response: URLResponse?) in
            response.map { block(connection, request, $0) } ?? request
        }
    }

    /// Ignored (OP-34): Linux does not suspend processes in the background.
    @available(*, deprecated, message: "has no meaning on Linux; delete the call")
    @preconcurrency
    public func setShouldExecuteAsBackgroundTaskWithExpirationHandler(
        _ handler: (@Sendable () -> Void)?
    ) {}

    private func counting(
        _ block: @escaping @Sendable (UInt, Int64, Int64) -> Void
    ) -> @Sendable (Int64, Int64, Int64) -> Void {
        { block(UInt(clamping: $0), $1, $2) }
    }
}

// MARK: - State

extension URLConnectionOperation {
    /// Whether the operation is paused.
    @_disfavoredOverload
    @available(*, deprecated, message: "is a property: leave out the parentheses")
    public func isPaused() -> Bool {
        isPaused
    }
}

// MARK: - Batch

extension URLConnectionOperation {
    /// Wraps operations with a progress block and one completion block.
    ///
    /// Other operations are ignored.
    ///
    /// - Returns: the operations and one more; add all of them to a queue.
    @available(*, deprecated, renamed: "batch(of:progress:completion:)")
    @preconcurrency
    public class func batch(
        ofRequestOperations operations: [Any]?,
        progressBlock: (@Sendable (UInt, UInt) -> Void)?,
        completionBlock: (@Sendable ([Any]) -> Void)? = nil
    ) -> [Any] {
        var progress: (@Sendable (Int, Int) -> Void)?
        if let progressBlock {
            progress = { progressBlock(UInt(clamping: $0), UInt(clamping: $1)) }
        }
        return batch(
            of: (operations ?? []).compactMap { $0 as? URLConnectionOperation },
            progress: progress, completion: completionBlock)
    }
}

extension HTTPRequestOperation {
    /// Sets the blocks for success and failure, one of which is called on `completionQueue` or main.
    @available(*, deprecated, renamed: "setCompletionBlock(success:failure:)")
    @preconcurrency
    public func setCompletionBlockWithSuccess(
        _ success: (@Sendable (HTTPRequestOperation, sending Any?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)? = nil
    ) {
        setCompletionBlock(success: success, failure: failure)
    }
}

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
        makeOperation(request, success, HTTPRequestOperation.withOperation(failure), caller)
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
