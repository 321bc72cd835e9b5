public import CurlConnection
import Dispatch
import Foundation
public import FoundationNetworking

/// Hears the moments of a manager's requests: what logging, metrics and tracing are hooked to.
///
/// A request is an operation of a manager of operations or a task of a session. Redirects, challenges and what a
/// `retryPolicy` sends again are moments of the same one; its metrics tell them apart. Every method has a default
/// that does nothing. It cannot change a request; a request serializer can.
///
/// ## Concurrency
/// Called on: `requestWasMade` on the thread that makes the request, before all else; the others on a serial queue
/// of the manager's, in the order in which they happened. Never under a lock, and no request waits for it.
public protocol RequestObserver: AnyObject, Sendable {
    /// A manager has made a request; it waits to be started. It is called before the verb returns, or before it
    /// waits, so the caller's task-local values are there.
    func requestWasMade(_ request: ObservedRequest)

    /// It begins, or goes on after a pause.
    func requestDidStart(_ request: ObservedRequest)

    /// A response has come, whatever its status; another one after a pause. None that was a redirect.
    func request(_ request: ObservedRequest, didReceive response: URLResponse)

    /// Bytes of its body were sent.
    func request(_ request: ObservedRequest, didSendBodyBytes count: Int64)

    /// Decoded bytes of a response's body have come.
    func request(_ request: ObservedRequest, didReceiveBytes count: Int64)

    /// It has ended; the last call for it, beside the completion blocks and in no order with them.
    ///
    /// - Parameters:
    ///   - error: why no whole response came; `URLError.cancelled`. What a serializer makes of the response, as
    ///     of a status 404, is not there yet: see `ObservedRequest.response`.
    ///   - metrics: nil for one that never began.
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

/// A request of a manager's, as it was at a moment.
public struct ObservedRequest: Sendable, Identifiable {
    /// The same at each of its moments; no other request of the process has it.
    public let id: UInt64
    /// What was asked for, with its header fields: secrets too.
    public let urlRequest: URLRequest
    /// The latest response; nil before it.
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

    /// On the caller's thread; no other moment of the request may come before.
    package func tellOfMaking(_ request: ObservedRequest) {
        observer.requestWasMade(request)
    }

    /// Calls the observer soon. It may be called under a lock.
    package func tell(
        _ request: ObservedRequest,
        _ call: @escaping @Sendable (any RequestObserver, ObservedRequest) -> Void
    ) {
        queue.async { [observer] in call(observer, request) }
    }
}
