public import OperationNetworking

extension HTTPRequestOperation {
    /// Sets the blocks for the end, of which one is called on `completionQueue` or main (HO-5).
    @available(*, deprecated, renamed: "setCompletionBlock(success:failure:)")
    @preconcurrency
    public func setCompletionBlockWithSuccess(
        _ success: (@Sendable (HTTPRequestOperation, sending Any?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)? = nil
    ) {
        setCompletionBlock(success: success, failure: failure)
    }
}
