public import CurlConnection
public import Foundation
public import FoundationNetworking

// An operation answers at once, by the methods of NSURLConnection's delegate, which a subclass overrides. Declared
// here, these four cannot be overridden: a subclass that would be asked in vain does not compile.
extension URLConnectionOperation {
    /// What `connection(_:willSend:redirectResponse:)` returns.
    public func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) -> URLConnection.Answer<URLRequest?> {
        .now(self.connection(connection, willSend: request, redirectResponse: response))
    }

    /// What `connection(_:needNewBodyStream:)` returns.
    public func connection(
        _ connection: URLConnection, newBodyStreamFor request: URLRequest
    ) -> URLConnection.Answer<InputStream?> {
        .now(self.connection(connection, needNewBodyStream: request))
    }

    /// Calls `connection(_:didReceive:)`, and goes on.
    public func connection(
        _ connection: URLConnection, dispositionAfter response: URLResponse
    ) -> URLConnection.Answer<URLConnection.ResponseDisposition> {
        self.connection(connection, didReceive: response)
        return .now(.allow)
    }

    /// What `connection(_:willCacheResponse:)` returns.
    public func connection(
        _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
    ) -> URLConnection.Answer<CachedURLResponse?> {
        .now(self.connection(connection, willCacheResponse: cachedResponse))
    }
}
