public import Foundation
public import FoundationNetworking

/// Looks at each request, and may change it, before its task is made; also in a retry, never for
/// resume data.
@preconcurrency public protocol RequestAdapter: Sendable {
    /// The request that is sent; called on the thread that makes the task.
    ///
    /// - Throws: an error, which the request's handlers get unchanged.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}

/// Takes the retrier's answer, once: whether the request is tried again, and after how many seconds.
public typealias RequestRetryCompletion =
    @Sendable (_ shouldRetry: Bool, _ timeDelay: TimeInterval) -> Void

/// Decides about a request that failed.
@preconcurrency public protocol RequestRetrier: Sendable {
    /// Called for any error, also a validation's or the adapter's; on the session's delegate queue,
    /// for the adapter's on a utility queue. `request.delegate.data` has the body of the answer.
    ///
    /// - Parameter completion: called once, now or later, from any thread. A second call is
    ///   ignored. Without a call the request stays open until it is cancelled or its manager is
    ///   released. A yes to a cancelled request is a no.
    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion)
}
