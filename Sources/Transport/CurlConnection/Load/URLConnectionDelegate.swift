public import Foundation
public import FoundationNetworking

/// Called by one connection, on the thread of its run loop.
///
/// Every method has a default. Exactly one of the last two is called for each connection that was
/// started and not cancelled, unless its thread ends first, and nothing after it. Reentrant: a delegate may
/// cancel the connection or start another from inside any call.
public protocol URLConnectionDelegate: AnyObject {
    /// Proposes the first request (with a nil response), and each redirect unless
    /// `connection(_:willPerformHTTPRedirection:newRequest:)` answers it.
    ///
    /// - Returns: the request to send. Nil for a redirect makes the 3xx the response; nil for the
    ///   first request fails the connection with `URLError.cancelled`.
    func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest?

    /// Asks about a redirect: answered with the request to send, or with nil, which makes the 3xx the
    /// response. A delegate with this method is not asked by `connection(_:willSend:redirectResponse:)` about redirects.
    /// A redirect whose header is no response for Foundation fails with `URLError.badServerResponse`.
    func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) -> URLConnection.Answer<URLRequest?>

    /// Asks for a credential, or whether a server is trusted. The answer goes to `challenge.sender`.
    ///
    /// About a server (`challenge.protectionSpace.peerTrust` is there) it is asked before each
    /// request by https, also on a kept connection and after a redirect, and before a byte of it is
    /// sent. A later answer counts for the other requests of the load too. A `PeerTrustCredential` with
    /// that trust accepts; `cancel` fails the connection with `URLError.userCancelledAuthentication`;
    /// every other answer has the certificates checked: their chain, their dates and the host's name.
    ///
    /// For a certificate of the client's own (`NSURLAuthenticationMethodClientCertificate`) it is
    /// asked once for each origin, after the server was judged and before anything is shown.
    ///
    /// A challenge may be answered now or later, from any thread, once. A later answer about a
    /// server costs a second handshake. A challenge that is released without an answer is
    /// cancelled.
    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge)

    /// Whether a stored credential may answer a challenge.
    func connectionShouldUseCredentialStorage(_ connection: URLConnection) -> Bool

    /// Asks for the body stream again when it must be sent anew and cannot be rewound.
    ///
    /// - Returns: an unopened stream with the same bytes, or nil. The connection then fails with
    ///   `URLError.requestBodyStreamExhausted`, or with the error for which the request was to be sent again.
    func connection(_ connection: URLConnection, needNewBodyStream request: URLRequest)
        -> InputStream?

    /// Called in place of `connection(_:needNewBodyStream:)`. The delegate can also answer later.
    func connection(
        _ connection: URLConnection, newBodyStreamFor request: URLRequest
    ) -> URLConnection.Answer<InputStream?>

    /// Bytes of the body were sent; the expected total is -1 where it is unknown.
    func connection(
        _ connection: URLConnection, didSendBodyData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64)

    /// The header of the response. It is not called for an interim response (1xx), nor for one that the load follows by
    /// another request.
    func connection(_ connection: URLConnection, didReceive response: URLResponse)

    /// Called in place of `connection(_:didReceive:)`: asks, with the header of the response, whether the load goes on.
    /// For a 206 that was not asked for, `connection(_:didReceive:)` is called, and the load fails. No piece of the
    /// body comes before the answer.
    func connection(
        _ connection: URLConnection, dispositionAfter response: URLResponse
    ) -> URLConnection.Answer<URLConnection.ResponseDisposition>

    /// A piece of the decoded body.
    func connection(_ connection: URLConnection, didReceive data: Data)

    /// How many of the bytes received so far are not consumed yet.
    ///
    /// While it is not 0, this connection alone is paused; the delegate is asked again soon. It fails
    /// with `URLError.timedOut` when the number does not fall for the request's
    /// `timeoutInterval`.
    func connectionBytesNotConsumed(_ connection: URLConnection) -> Int

    /// Offers a response for the cache; nil keeps it out.
    func connection(
        _ connection: URLConnection, willCacheResponse cachedResponse: CachedURLResponse
    ) -> CachedURLResponse?

    /// Called in place of `connection(_:willCacheResponse:)`. The delegate can also answer later. The last delegate call is
    /// made after the answer, or when the time limit of the load is over.
    func connection(
        _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
    ) -> URLConnection.Answer<CachedURLResponse?>

    /// The load waits, and uses no connection meanwhile; nil when the wait is over. It is not called for a load that need
    /// not wait.
    func connection(_ connection: URLConnection, waitsFor wait: LoadWait?)

    /// Whether a request that failed is sent again, and why: called once for each failure before a response
    /// was delivered, where the configuration has a `retryPolicy` or its `interceptor` has the request sent again.
    func connection(_ connection: URLConnection, didDecideAboutRetry decision: RetryDecision)

    /// The times of the load, just before the last call.
    func connection(_ connection: URLConnection, didFinishCollecting metrics: RequestMetrics)

    /// The whole response was received.
    func connectionDidFinishLoading(_ connection: URLConnection)

    /// The connection failed; what was received so far is not the whole response.
    func connection(_ connection: URLConnection, didFailWithError error: any Error)
}

extension URLConnectionDelegate {
    /// Sends the request as proposed.
    public func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest? { request }

    /// What `connection(_:willSend:redirectResponse:)` returns.
    public func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) -> URLConnection.Answer<URLRequest?> {
        .now(self.connection(connection, willSend: request, redirectResponse: response))
    }

    /// Uses the proposed credential, or continues without one.
    public func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        challenge.sender?.performDefaultHandling(for: challenge)
    }

    /// Yes.
    public func connectionShouldUseCredentialStorage(_ connection: URLConnection) -> Bool { true }

    /// There is none.
    public func connection(_ connection: URLConnection, needNewBodyStream request: URLRequest)
        -> InputStream?
    { nil }

    /// What `connection(_:needNewBodyStream:)` returns.
    public func connection(
        _ connection: URLConnection, newBodyStreamFor request: URLRequest
    ) -> URLConnection.Answer<InputStream?> {
        .now(self.connection(connection, needNewBodyStream: request))
    }

    /// Nothing happens.
    public func connection(
        _ connection: URLConnection, didSendBodyData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {}

    /// Nothing happens.
    public func connection(_ connection: URLConnection, didReceive response: URLResponse) {}

    /// Calls `connection(_:didReceive:)`, and goes on.
    public func connection(
        _ connection: URLConnection, dispositionAfter response: URLResponse
    ) -> URLConnection.Answer<URLConnection.ResponseDisposition> {
        self.connection(connection, didReceive: response)
        return .now(.allow)
    }

    /// Nothing happens.
    public func connection(_ connection: URLConnection, didReceive data: Data) {}

    /// Everything is consumed at once.
    public func connectionBytesNotConsumed(_ connection: URLConnection) -> Int { 0 }

    /// Stores the response as offered.
    public func connection(
        _ connection: URLConnection, willCacheResponse cachedResponse: CachedURLResponse
    ) -> CachedURLResponse? { cachedResponse }

    /// What `connection(_:willCacheResponse:)` returns.
    public func connection(
        _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
    ) -> URLConnection.Answer<CachedURLResponse?> {
        .now(self.connection(connection, willCacheResponse: cachedResponse))
    }

    /// Nothing happens.
    public func connection(_ connection: URLConnection, waitsFor wait: LoadWait?) {}

    /// Nothing happens.
    public func connection(
        _ connection: URLConnection, didDecideAboutRetry decision: RetryDecision
    ) {}

    /// Nothing happens.
    public func connection(
        _ connection: URLConnection, didFinishCollecting metrics: RequestMetrics
    ) {}

    /// Nothing happens.
    public func connectionDidFinishLoading(_ connection: URLConnection) {}

    /// Nothing happens.
    public func connection(_ connection: URLConnection, didFailWithError error: any Error) {}
}

extension URLConnection {
    /// What becomes of a load once its delegate has the response's head.
    public enum ResponseDisposition: Sendable {
        case allow
        /// The connection fails with `URLError.cancelled`.
        case cancel
    }
}

/// What a load waits for while it uses no connection.
public enum LoadWait: Sendable, Hashable {
    /// For one of the connections to its origin, or of all.
    case connection
    /// For the moment of its next try.
    case retry(at: Date)
}
