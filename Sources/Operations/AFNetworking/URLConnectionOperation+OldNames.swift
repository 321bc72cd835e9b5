public import CurlConnection
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
