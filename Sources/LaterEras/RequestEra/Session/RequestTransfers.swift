import CurlConnection
import Foundation
public import FoundationNetworking
public import OperationNetworking
import SessionTasks

/// Runs shared transfers, such as an image downloader's, as data requests of a session manager.
///
/// A `SessionManager` has no serializer of its own, so this adds one. Adapter, retrier and trust
/// policies are the manager's. A request of a transfer is resumed when the transfer is started,
/// whatever `startRequestsImmediately` says, as AlamofireImage did.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; all it has is constant. Calls out on: a serial queue for
/// each transfer (progress, and after it the completion); the request's queue (the serializer);
/// the caller's thread (the adapter).
public final class RequestTransfers: TransferStarting {
    /// Makes the requests.
    public let manager: SessionManager
    /// Judges the responses, and makes the objects.
    public let responseSerializer: HTTPResponseSerializer
    /// Answers the first challenge of each request, from its own origin; nil for none.
    public let credential: URLCredential?
    private let queue = DispatchQueue(
        label: "org.alamofire.imagedownloader.responsequeue", attributes: .concurrent)

    /// Transfers of a manager's requests.
    public init(
        _ manager: SessionManager, responseSerializer: HTTPResponseSerializer,
        credential: URLCredential? = nil
    ) {
        self.manager = manager
        self.responseSerializer = responseSerializer
        self.credential = credential
    }

    /// A request that waits to be resumed.
    public func transfer(
        for request: URLRequest, completion: @escaping TransferCompletion
    ) -> any TransferHandle {
        // Serial, so that no progress comes after the end.
        let queue = DispatchQueue(label: queue.label, target: queue)
        let made = manager.start(.data(request), isResumed: false, DataRequest.init)
        if let credential { made.authenticate(usingCredential: credential) }
        let serializer = DataResponseSerializer<Handed<Any?>> {
            [responseSerializer] _, response, data, error in
            if let error { return .failure(error) }
            let made = responseSerializer.responseObject(for: response, data: data)
            return made.error.map { .failure($0) } ?? .success(Handed(made.object))
        }
        made.response(queue: queue, responseSerializer: serializer) { response in
            switch response.result {
            case .success(let object):
                // nonisolated(unsafe) because its maker keeps no reference to it, see `Handed`.
                nonisolated(unsafe) let value = object.value
                completion(response.response, value, nil)
            case .failure(let error): completion(response.response, nil, error)
            }
        }
        return RequestTransferHandle(made, queue)
    }

    /// The credential, the client's certificate, the cookies that are sent, and what the adapter makes of the request,
    /// for which it is asked once more. Where the adapter throws, the request shares with none.
    public func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? {
        do {
            let sent = try manager.adapter?.adapt(request)
            return SharingIdentity(
                answers: credential,
                certificate: manager.connectionConfiguration?.clientCertificate,
                cookies: manager.taskSession.cookieHeader(for: sent ?? request), sent: sent)
        } catch {
            return UUID()
        }
    }
}

private final class RequestTransferHandle: TransferHandle {
    private let request: DataRequest
    private let queue: DispatchQueue

    init(_ request: DataRequest, _ queue: DispatchQueue) {
        self.request = request
        self.queue = queue
    }

    func start() {
        request.resume()
    }

    func cancel() {
        request.cancel()
        // A request without a task ignores that (AL-10), and ends with its error when it is resumed.
        if request.task == nil { request.resume() }
    }

    func addProgressBlock(_ block: @escaping ProgressBlock) {
        request.downloadProgress(queue: queue) { progress in
            block(progress.completedUnitCount, progress.totalUnitCount)
        }
    }
}
