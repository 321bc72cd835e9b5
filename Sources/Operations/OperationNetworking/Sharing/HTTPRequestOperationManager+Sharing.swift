import CurlConnection
public import FoundationNetworking

extension HTTPRequestOperationManager: TransferStarting {
    /// The operation of a request, which enters the queue when it is started.
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

    /// The manager's credential, the client's certificate, and the cookies that are sent.
    public func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? {
        let configuration = configuration
        return SharingIdentity(
            answers: credential, certificate: configuration.clientCertificate,
            cookies: configuration.cookieHeader(for: request))
    }
}

/// An operation as a transfer.
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
