public import Foundation

extension URLError {
    /// What lies beneath, in its own type: a `CurlError`, `LoadLimitError`, `ProxyError`,
    /// `SecurityPolicyError` or a stream's error; nil where nothing does.
    ///
    /// `userInfo[NSUnderlyingErrorKey]` has it as an `NSError`, with the same domain and code.
    public var underlyingError: (any Error)? {
        (_nsError as? DescribedError)?.cause ?? userInfo[NSUnderlyingErrorKey] as? any Error
    }
}
