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

    /// For whom a request is sent, as far as that is not in the request: a credential, cookies, a token.
    ///
    /// Equal requests share a transfer only where this is equal too; nil, the default, for a manager that adds
    /// nothing. Who does not know returns a value that equals no other, such as a `UUID`. Called for each caller,
    /// on the caller's thread. A credential that is found when a server asks, and what a subclass of a manager
    /// adds, the managers here do not know.
    func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)?
}

extension TransferStarting {
    /// Nil: nothing is added.
    public func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? { nil }
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
