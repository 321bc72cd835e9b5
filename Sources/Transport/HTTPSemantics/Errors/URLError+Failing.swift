package import Foundation

extension URLError {
    /// An error with the failing URL, a description and the underlying error.
    ///
    /// - Parameters:
    ///   - url: the URL of the request; also under `NSErrorFailingURLStringKey`, because callers of
    ///     AFNetworking 2 read it there although its Swift name is deprecated.
    ///   - text: the localized description; nil for Foundation's own.
    ///   - underlying: the cause, in its own type.
    package init(
        _ code: Code, url: URL?, text: String? = nil, underlying: (any Error)? = nil
    ) {
        var info: [String: Any] = [:]
        info[NSURLErrorFailingURLErrorKey] = url
        info["NSErrorFailingURLStringKey"] = url?.absoluteString
        info[NSLocalizedDescriptionKey] = text
        info[NSUnderlyingErrorKey] = underlying
        self.init(code, described: info)
    }
}
