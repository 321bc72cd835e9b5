import Foundation
package import FoundationNetworking
import HTTPSemantics

/// Adds a request's cookies, and stores those that a response sets (RFC 6265 section 5).
///
/// They are not in the request that the delegate sees, so the cookies of one origin do not follow a
/// redirect to another. A field Cookie that the caller set is sent as it is.
struct CookieHandling {
    private let storage: CookieStorage?
    private let clock: NetworkClock

    init(_ configuration: URLConnectionConfiguration) {
        (storage, clock) = (configuration.cookieStorage, configuration.clock)
    }

    /// The request with the field Cookie.
    func adding(to request: URLRequest) -> URLRequest {
        guard let storage, request.httpShouldHandleCookies, let url = request.url,
            request.value(forHTTPHeaderField: "Cookie") == nil,
            let cookies = storage.cookieHeader(for: url, at: clock.date)
        else { return request }
        var request = request
        request.setValue(cookies, forHTTPHeaderField: "Cookie")
        return request
    }

    /// Stores the cookies of a head, also of a redirect's or a challenge's. A 407 is the proxy's and
    /// sets none.
    func take(_ head: ResponseHead, for request: URLRequest) {
        guard let storage, request.httpShouldHandleCookies, let url = request.url,
            head.statusCode != 407
        else { return }
        let fields = head.values(of: "Set-Cookie")
        guard !fields.isEmpty else { return }
        storage.store(
            setCookieFields: fields, from: url, mainDocument: request.mainDocumentURL,
            at: clock.date)
    }
}

extension URLConnectionConfiguration {
    /// The field Cookie that a request is sent with now; nil for none.
    package func cookieHeader(for request: URLRequest) -> String? {
        CookieHandling(self).adding(to: request).value(forHTTPHeaderField: "Cookie")
    }
}
