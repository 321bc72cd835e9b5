public import Foundation

extension URLError {
    /// The underlying error in its own type: a `CurlError`, `LoadLimitError`, `ProxyError`,
    /// `SecurityPolicyError` or a stream's error; nil where there is none.
    ///
    /// `userInfo[NSUnderlyingErrorKey]` has it as an `NSError`, with the same domain and code.
    public var underlyingError: (any Error)? {
        (_nsError as? DescribedError)?.cause ?? userInfo[NSUnderlyingErrorKey] as? any Error
    }
}
