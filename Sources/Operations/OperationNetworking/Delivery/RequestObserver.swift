public import CurlConnection
import Dispatch
import Foundation
public import FoundationNetworking

/// Observes a manager's requests, for logging, metrics and tracing.
///
/// A request is an operation of a manager of operations or a task of a session. Redirects, challenges and retries of a
/// `RetryPolicy` belong to the same request; its metrics list them. A retry by Alamofire's `retrier` is a new request, and so is
/// each connection of each try of a `FileDownloadOperation`.
/// Every method has a default that does nothing. An observer cannot change a request; a request serializer can.
///
/// ## Concurrency
/// Called on: `requestWasMade` on the thread that makes the request, first; the others on a serial queue of the
/// manager's, in order. Never under a lock. A request waits only for `requestWasMade`.
public protocol RequestObserver: AnyObject, Sendable {
    /// A manager has made a request, which is not started yet. A method such as `get` calls it
    /// before it returns or, if async, suspends, with the caller's task-local values. The requests of a
    /// `FileDownloadOperation`, and retries by `retrier`, are made later, on other threads and without these values.
    func requestWasMade(_ request: ObservedRequest)

    /// The request begins, or continues after a pause.
    func requestDidStart(_ request: ObservedRequest)

    /// The response has come, with any status; not that of a redirect that is followed. An operation that was paused may
    /// get another one.
    func request(_ request: ObservedRequest, didReceive response: URLResponse)

    /// More bytes of the request's body were sent.
    ///
    /// - Parameter count: the bytes since the call before, not the total.
    func request(_ request: ObservedRequest, didSendBodyBytes count: Int64)

    /// More bytes of the response's body have come.
    ///
    /// - Parameter count: the bytes since the call before, after decoding; not the total.
    func request(_ request: ObservedRequest, didReceiveBytes count: Int64)

    /// The request has ended. This is the last call for it; the completion blocks may run before or after it.
    ///
    /// - Parameters:
    ///   - error: why the request failed, or `URLError.cancelled`. A complete download that could not be moved has failed
    ///     too. The response serializer's errors, such as the one for status 404, are not reported here;
    ///     `ObservedRequest.response` has the status.
    ///   - metrics: without transactions for an operation that never began; nil for a task that never began.
    func request(
        _ request: ObservedRequest, didEndWith error: (any Error)?, metrics: RequestMetrics?)
}

extension RequestObserver {
    /// Does nothing.
    public func requestWasMade(_ request: ObservedRequest) {}
    /// Does nothing.
    public func requestDidStart(_ request: ObservedRequest) {}
    /// Does nothing.
    public func request(_ request: ObservedRequest, didReceive response: URLResponse) {}
    /// Does nothing.
    public func request(_ request: ObservedRequest, didSendBodyBytes count: Int64) {}
    /// Does nothing.
    public func request(_ request: ObservedRequest, didReceiveBytes count: Int64) {}
    /// Does nothing.
    public func request(
        _ request: ObservedRequest, didEndWith error: (any Error)?, metrics: RequestMetrics?
    ) {}
}

/// The state of a manager's request at the time of a call.
public struct ObservedRequest: Sendable, Identifiable {
    /// The same in each call for the request, and unique in the process.
    public let id: UInt64
    /// The request. Secrets in its header fields are not redacted.
    public let urlRequest: URLRequest
    /// The latest response.
    public let response: URLResponse?

    package init(id: UInt64, urlRequest: URLRequest, response: URLResponse?) {
        self.id = id
        self.urlRequest = urlRequest
        self.response = response
    }
}

/// A manager's observer, and the queue that it is called on.
package final class ObservedManager: Sendable {
    package let observer: any RequestObserver
    private let queue = DispatchQueue(label: "com.alamofire.networking.observer")

    package init(_ observer: any RequestObserver) {
        self.observer = observer
    }

    /// On the caller's thread, before any other call for the request.
    package func notifyMade(_ request: ObservedRequest) {
        observer.requestWasMade(request)
    }

    /// Dispatches a call of the observer. The caller may hold a lock, because the call happens later on the queue.
    package func notify(
        _ request: ObservedRequest,
        _ call: @escaping @Sendable (any RequestObserver, ObservedRequest) -> Void
    ) {
        queue.async { [observer] in call(observer, request) }
    }
}
