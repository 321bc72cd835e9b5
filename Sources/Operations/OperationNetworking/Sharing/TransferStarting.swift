import CurlConnection
public import FoundationNetworking

/// Makes the transfers that `SharedTransfers` shares; each manager of the package can.
public protocol TransferStarting: AnyObject, Sendable {
    /// Called once with the response and either the object that was made of it or an error.
    typealias TransferCompletion =
        @Sendable (_ response: URLResponse?, _ object: sending Any?, _ error: (any Error)?) -> Void

    /// Makes a transfer, without starting it.
    ///
    /// - Parameter completion: called on any thread when the transfer has ended, even if it was
    ///   cancelled; need not be called for one that was never started.
    func transfer(
        for request: URLRequest, completion: @escaping TransferCompletion
    ) -> any TransferHandle

    /// The user for whom a request is sent, as far as the request does not say it: a credential, cookies, a
    /// token.
    ///
    /// Equal requests share a transfer only if this is equal too. Nil, the default, is for a manager that adds
    /// nothing to requests. To share nothing, return a value that equals no other, such as a `UUID`. Called for
    /// each request, on the caller's thread. The package's managers do not include a credential that is found
    /// when a server asks for one, nor what a subclass adds.
    func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)?
}

extension TransferStarting {
    /// Nil, for a manager that adds nothing to requests.
    public func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? { nil }
}

/// One transfer of a manager.
public protocol TransferHandle: AnyObject, Sendable {
    /// Called with the received and the expected number of bytes; -1 if unknown.
    typealias ProgressBlock = @Sendable (_ received: Int64, _ expected: Int64) -> Void

    /// Starts the transfer; called once at most.
    func start()
    /// Cancels it; it then ends with an error.
    func cancel()
    /// Adds a block that is called on any thread while the body is received.
    func addProgressBlock(_ block: @escaping ProgressBlock)
}

extension HTTPRequestOperationManager: TransferStarting {
    /// An operation, which enters the manager's queue when the transfer is started.
    public func transfer(
        for request: URLRequest, completion: @escaping TransferCompletion
    ) -> any TransferHandle {
        let operation = httpRequestOperation(with: request) { operation, object in
            completion(operation.response, object, nil)
        } failure: { operation, error in
            completion(operation?.response, nil, error)
        }
        return OperationTransfer(operation, self)
    }

    /// The manager's credential, the client's certificate, and the cookies of the request.
    public func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? {
        let configuration = configuration
        return SharingIdentity(
            answers: credential, certificate: configuration.clientCertificate,
            cookies: configuration.cookieHeader(for: request))
    }
}

final class OperationTransfer: TransferHandle {
    let operation: HTTPRequestOperation
    private let manager: HTTPRequestOperationManager

    init(_ operation: HTTPRequestOperation, _ manager: HTTPRequestOperationManager) {
        self.operation = operation
        self.manager = manager
    }

    func start() {
        manager.enqueue(operation)
    }

    func cancel() {
        operation.cancel()
    }

    func addProgressBlock(_ block: @escaping ProgressBlock) {
        operation.addProgressBlock(for: .download, block)
    }
}
