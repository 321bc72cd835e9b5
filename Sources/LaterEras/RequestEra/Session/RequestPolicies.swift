public import Foundation
public import FoundationNetworking

/// Looks at each request, and may change it, before its task is made; also in a retry, never for
/// resume data.
@preconcurrency public protocol RequestAdapter: Sendable {
    /// The request that is sent; called on the thread that makes the task.
    ///
    /// - Throws: an error, which handlers get unchanged unless the retrier has the request tried again. Of
    ///   a form, where there is no retrier, `encodingCompletion` gets it.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}

/// Takes the retrier's answer, once: whether the request is tried again, and after how many seconds.
public typealias RequestRetryCompletion =
    @Sendable (_ shouldRetry: Bool, _ timeDelay: TimeInterval) -> Void

/// Decides about a request that failed.
@preconcurrency public protocol RequestRetrier: Sendable {
    /// Called for the error of an attempt's task or validation, and for the adapter's at the first
    /// attempt. Not called for the adapter's in a retry, nor for a request that could not be built.
    ///
    /// Called on the session's delegate queue; for the adapter's error on a utility queue, or on the
    /// caller's thread where the system has none to give.
    ///
    /// `request.delegate.data` has the response's body, unless a stream closure or `bytes()` got it; of
    /// a download it is the resume data.
    ///
    /// - Parameter completion: called once, now or later, from any thread. A second call is
    ///   ignored. Without a call the request stays open until it is cancelled or its manager is
    ///   released. A yes to a cancelled request is a no.
    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion)
}
