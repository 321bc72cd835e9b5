public import Foundation
public import FoundationNetworking

/// Changes each request before it is sent, and decides whether one that failed is sent again.
///
/// Set it in a manager's configuration, or as the `interceptor` of a session's manager. `AccessToken` is one. It is called
/// for requests to the origin that the caller asked for: not after a redirect to another one, nor for `file:` and `data:`
/// addresses. `shouldRetry` is not called for what a class of `protocolClasses` loads.
public protocol RequestInterceptor: Sendable {
    /// Returns the request to be sent; by default the request as it is.
    ///
    /// Called before the first attempt, and before each further one with the request that was sent last; not after a
    /// redirect. A request to another origin fails with `URLError.badURL`. A field that it adds stays in the request after a
    /// redirect. A redirect to another origin removes `Authorization`, `Cookie`, `Origin` and `Host`.
    ///
    /// It runs in a task of Swift's own pool, which the end of the load cancels. Meanwhile the load uses no connection and
    /// blocks no thread. The request's `timeoutInterval` does not run; the limit for the whole load does. The pool has as
    /// many threads as the machine has processors: tasks that block them delay every request that has an interceptor.
    ///
    /// - Throws: any error; the request fails with it.
    func adapt(_ request: URLRequest) async throws -> URLRequest

    /// Returns whether a request that failed is sent again; false by default.
    ///
    /// Called before a response with a status of 400 or more is delivered, and before the request fails without a response;
    /// on the network thread, which it must not block. If the answer is true, the response's body is discarded. A request
    /// that a `RetryPolicy` sends again is not asked about, and an answer of true is no attempt of the policy's. After
    /// five answers of true a request is not asked about any more.
    func shouldRetry(_ failure: RequestFailure) -> Bool
}

extension RequestInterceptor {
    /// The request as it is.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { request }
    /// False.
    public func shouldRetry(_ failure: RequestFailure) -> Bool { false }
}

/// A request that failed before its response was delivered.
public struct RequestFailure: Sendable {
    /// The request that was sent, without the fields that the load adds, such as cookies.
    public let request: URLRequest
    /// The response, with a status of 400 or more; nil where there was none.
    public let response: HTTPURLResponse?
    /// Why there was no response; nil where there was one.
    public let error: URLError?
    /// How many times `shouldRetry` has returned true for this request.
    public let retryCount: Int

    package init(
        _ request: URLRequest, response: HTTPURLResponse? = nil, error: URLError? = nil,
        retryCount: Int
    ) {
        self.request = request
        self.response = response
        self.error = error
        self.retryCount = retryCount
    }
}
