import Foundation
import FoundationNetworking
import HTTPSemantics

/// Adds the cookies a request has to carry, and keeps those an answer sets (RFC 6265 section 5).
///
/// They go on the wire, not into the request that the delegate sees: what belongs to one origin can
/// so not follow a redirect to another. A Cookie field that the caller set is sent as it is.
struct CookieHandling {
    let storage: CookieStorage?

    /// The request with the field Cookie.
    func adding(to request: URLRequest) -> URLRequest {
        guard let storage, request.httpShouldHandleCookies, let url = request.url,
            request.value(forHTTPHeaderField: "Cookie") == nil,
            let cookies = storage.cookieHeader(for: url, at: Date())
        else { return request }
        var request = request
        request.setValue(cookies, forHTTPHeaderField: "Cookie")
        return request
    }

    /// Keeps what a head sets, also that of a redirect or a challenge; a proxy's 407 sets nothing
    /// for the server.
    func take(_ head: ResponseHead, for request: URLRequest) {
        guard let storage, request.httpShouldHandleCookies, let url = request.url,
            head.statusCode != 407
        else { return }
        let fields = head.values(of: "Set-Cookie")
        guard !fields.isEmpty else { return }
        storage.store(
            setCookieFields: fields, from: url, mainDocument: request.mainDocumentURL, at: Date())
    }
}
