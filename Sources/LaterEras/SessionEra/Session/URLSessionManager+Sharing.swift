import CurlConnection
public import FoundationNetworking
public import OperationNetworking

/// What shares transfers, such as an image downloader, runs on a session manager.
extension URLSessionManager: TransferStarting {
    /// The suspended data task of a request, whose object the manager's serializer makes.
    public func transfer(
        for request: URLRequest, completion: @escaping TransferCompletion
    ) -> any TransferHandle {
        TaskTransferHandle(
            dataTask(with: request) { response, object, error in
                completion(response, error == nil ? object : nil, error)
            })
    }

    /// The settings, whose blocks answer challenges, the client's certificate, and the cookies that are sent: after
    /// one of them is changed no request joins an earlier one.
    public func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? {
        SharingIdentity(
            answers: current, certificate: connectionConfiguration?.clientCertificate,
            cookies: taskSession.cookieHeader(for: request))
    }
}

private final class TaskTransferHandle: TransferHandle {
    private let task: SessionDataTask

    init(_ task: SessionDataTask) {
        self.task = task
    }

    func start() {
        task.resume()
    }

    func cancel() {
        task.cancel()
    }

    func addProgressBlock(_ block: @escaping ProgressBlock) {
        task.addProgressBlock(block)
    }
}
