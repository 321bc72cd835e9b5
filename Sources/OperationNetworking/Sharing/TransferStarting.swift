public import FoundationNetworking

/// Makes transfers of requests: what a manager of any era can do for `SharedTransfers`.
public protocol TransferStarting: AnyObject, Sendable {
    /// Called once with the response, the object that was made of it, and the error; an error comes
    /// without an object.
    typealias TransferCompletion =
        @Sendable (_ response: URLResponse?, _ object: sending Any?, _ error: (any Error)?) -> Void

    /// Makes a transfer that waits to be started.
    ///
    /// - Parameter completion: called once the transfer has ended, from any thread, also after it
    ///   was cancelled; for one that was never started it need not be called.
    func transfer(
        for request: URLRequest, completion: @escaping TransferCompletion
    ) -> any TransferHandle
}

/// One transfer of a manager.
public protocol TransferHandle: AnyObject, Sendable {
    /// Called with the bytes that were received, and those that are expected; -1 where unknown.
    typealias ProgressBlock = @Sendable (_ received: Int64, _ expected: Int64) -> Void

    /// Starts the transfer; called once at most.
    func start()
    /// Cancels it; it then ends with an error.
    func cancel()
    /// Adds a block that is called as the body comes, from any thread.
    func addProgressBlock(_ block: @escaping ProgressBlock)
}
