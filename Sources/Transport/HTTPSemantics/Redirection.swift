package import Foundation
package import FoundationNetworking

/// The request that follows a 3xx, if any.
package enum Redirection {
    /// Fields that are removed when a redirect leaves its origin (scheme, host and port).
    private static let originFields = [
        "Authorization", "Cookie", "Proxy-Authorization", "Origin", "Host",
    ]
    private static let bodyFields = [
        "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding",
    ]

    /// The next request, or nil when the answer is not a redirect.
    ///
    /// 301 and 302 turn POST into GET, 303 turns all but HEAD into GET, 307 and 308 repeat the
    /// request (RFC 9110 section 15.4). Headers that the caller set stay, except those that belong to
    /// the origin when the redirect leaves it, and those of the body when a GET replaces another method.
    ///
    /// - Parameters:
    ///   - count: redirects followed so far.
    ///   - limit: redirects that are followed.
    ///   - mayLeaveTLS: whether one may lead from https to http.
    ///   - keepsMethod: whether 301 and 302 repeat a POST, as 307 and 308 do.
    /// - Throws: `URLError.httpTooManyRedirects` at the limit; `.unsupportedURL` for a target that
    ///   is neither http nor https; `.redirectToNonExistentLocation` for one that is no URL;
    ///   `.appTransportSecurityRequiresSecureConnection` for one from https to http unless
    ///   `mayLeaveTLS`.
    package static func next(
        after request: URLRequest, status: Int, location: String?, count: Int, limit: Int = 20,
        mayLeaveTLS: Bool = false, keepsMethod: Bool = false
    ) throws(URLError) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(status), let location, !location.isEmpty,
            let url = request.url
        else {
            return nil
        }
        guard count < limit else {
            throw LoadLimitError(.redirects, Int64(limit)).urlError(url)
        }
        guard let target = resolve(location, against: url) else {
            throw URLError(
                .redirectToNonExistentLocation, url: url,
                text: "The redirect's location is not a URL.")
        }
        guard let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw URLError(
                .unsupportedURL, url: target,
                text: "A redirect may lead to http and https URLs only.")
        }
        guard mayLeaveTLS || scheme == "https" || url.scheme?.lowercased() == "http" else {
            throw URLError(
                .appTransportSecurityRequiresSecureConnection, url: target,
                text: "The redirect leads from https to http "
                    + "(configuration.followsRedirectsFromHTTPSToHTTP).")
        }
        var next = request
        next.url = target
        if !Origin.isSame(url, target) {
            originFields.forEach { next.setValue(nil, forHTTPHeaderField: $0) }
        }
        let method = request.httpMethod ?? "GET"
        let isPost = method == "POST" && !keepsMethod && (status == 301 || status == 302)
        if isPost || (status == 303 && method != "HEAD" && method != "GET") {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.httpBodyStream = nil
            bodyFields.forEach { next.setValue(nil, forHTTPHeaderField: $0) }
        }
        return next
    }

    /// RFC 9110 section 10.2.2: relative to the request, whose fragment is inherited.
    private static func resolve(_ location: String, against base: URL) -> URL? {
        guard let target = WrittenURL.url(location, relativeTo: base) else { return nil }
        guard target.fragment == nil, let fragment = base.fragment,
            var parts = URLComponents(url: target, resolvingAgainstBaseURL: true)
        else { return target }
        parts.percentEncodedFragment = fragment
        return parts.url ?? target
    }
}
