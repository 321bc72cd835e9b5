package import Foundation
package import FoundationNetworking

/// A delegate that may decide later, as a session's delegate on another queue must.
///
/// Each method hands over a `Decision`, which is answered during the call or later, from any thread.
/// The connection's thread never waits: while an answer is awaited nothing is told, the socket is not
/// read any further, the request's `timeoutInterval` does not run, and the limit for the whole load
/// does. A decision that is released without an answer fails the connection with
/// `URLError.cancelled`; one about the cache keeps the response out.
///
/// The defaults answer at once, with what the methods of `URLConnectionDelegate` return.
package protocol URLConnectionDecisionDelegate: URLConnectionDelegate {
    /// Proposes a redirect: answered with the request to send, or with nil, which makes the 3xx the
    /// response. The first request is proposed by `connection(_:willSend:redirectResponse:)`.
    func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, decision: Decision<URLRequest?>)

    /// Tells the head of the response, instead of `connection(_:didReceive:)`. Nothing of the body is
    /// told before the answer.
    func connection(
        _ connection: URLConnection, didReceive response: URLResponse,
        decision: Decision<URLConnection.ResponseDisposition>)

    /// Asks for the body stream again: answered with an unopened stream with the same bytes, or with
    /// nil, which fails the connection with `URLError.requestBodyStreamExhausted`.
    func connection(
        _ connection: URLConnection, needNewBodyStream request: URLRequest,
        decision: Decision<InputStream?>)

    /// Offers a response for the cache; nil keeps it out. The end of the load is told after the
    /// answer, or when the limit for the whole load passes.
    func connection(
        _ connection: URLConnection, willCacheResponse cachedResponse: CachedURLResponse,
        decision: Decision<CachedURLResponse?>)
}

extension URLConnection {
    /// What becomes of a load once its delegate has the response's head.
    package enum ResponseDisposition: Sendable {
        case allow
        /// The connection fails with `URLError.cancelled`.
        case cancel
    }
}

extension URLConnectionDecisionDelegate {
    package func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, decision: Decision<URLRequest?>
    ) {
        decision.answer(
            self.connection(connection, willSend: request, redirectResponse: response))
    }

    package func connection(
        _ connection: URLConnection, didReceive response: URLResponse,
        decision: Decision<URLConnection.ResponseDisposition>
    ) {
        self.connection(connection, didReceive: response)
        decision.answer(.allow)
    }

    package func connection(
        _ connection: URLConnection, needNewBodyStream request: URLRequest,
        decision: Decision<InputStream?>
    ) {
        decision.answer(self.connection(connection, needNewBodyStream: request))
    }

    package func connection(
        _ connection: URLConnection, willCacheResponse cachedResponse: CachedURLResponse,
        decision: Decision<CachedURLResponse?>
    ) {
        decision.answer(self.connection(connection, willCacheResponse: cachedResponse))
    }
}
