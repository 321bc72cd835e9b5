package import Foundation

extension URLError {
    /// An error with the failing URL, a sentence for people and what lies beneath.
    ///
    /// - Parameters:
    ///   - url: the address of the request; also under `NSErrorFailingURLStringKey`, whose Swift
    ///     name is deprecated, for callers of the connection era look there.
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
