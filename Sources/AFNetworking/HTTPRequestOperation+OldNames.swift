public import OperationNetworking

extension HTTPRequestOperation {
    /// Sets what is called at the end, one of the two, on `completionQueue` or main (HO-5).
    @available(*, deprecated, renamed: "setCompletionBlock(success:failure:)")
    @preconcurrency
    public func setCompletionBlockWithSuccess(
        _ success: (@Sendable (HTTPRequestOperation, sending Any?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)? = nil
    ) {
        setCompletionBlock(success: success, failure: failure)
    }
}
