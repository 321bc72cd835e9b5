import EventRecorder
public import Foundation

/// An error that prints as one line without secrets: domain and code, message, URL, and domain and
/// code of the underlying error.
///
/// An `NSError` prints its `userInfo` as a nested dump, with every URL unredacted.
package final class DescribedError: NSError, @unchecked Sendable {
    // @unchecked because its superclass is; all that this class adds is constant.

    /// The underlying error in its own type; `userInfo` has it as an `NSError`.
    package let cause: (any Error)?

    /// Makes an error; an underlying error of any type is stored in `userInfo` as an `NSError`.
    package init(domain: String, code: Int, userInfo: [String: Any]) {
        cause = userInfo[NSUnderlyingErrorKey] as? any Error
        var userInfo = userInfo
        userInfo[NSUnderlyingErrorKey] = cause.map { Self.nsError(of: $0) }
        for key in Self.textKeys {
            if let text = userInfo[key] as? String { userInfo[key] = text.printable }
        }
        super.init(domain: domain, code: code, userInfo: userInfo)
    }

    /// The keys of texts that may contain what a server or proxy sent.
    private static let textKeys = [
        NSLocalizedDescriptionKey, NSLocalizedFailureReasonErrorKey, NSDebugDescriptionErrorKey,
    ]

    /// Always fails: on Linux no error can be archived.
    ///
    /// - Returns: nil.
    package required init?(coder: NSCoder) {
        nil
    }

    /// The error as an `NSError`: itself if it is one, else a `DescribedError` with its domain, code and `userInfo`.
    package static func nsError(of error: any Error) -> NSError {
        if type(of: error) is NSError.Type { return error as NSError }
        let error = error as NSError
        return DescribedError(domain: error.domain, code: error.code, userInfo: error.userInfo)
    }

    /// Foundation's error about bytes that a server sent, with its texts made printable: they may contain those bytes.
    package static func printable(_ error: any Error) -> any Error {
        let error = error as NSError
        return DescribedError(domain: error.domain, code: error.code, userInfo: error.userInfo)
    }

    package override var description: String {
        Self.line(
            domain, code, userInfo[NSLocalizedDescriptionKey] as? String,
            userInfo[NSURLErrorFailingURLErrorKey] as? URL,
            beneath: userInfo[NSUnderlyingErrorKey] as? any Error)
    }

    package override var debugDescription: String { description }

    /// Overridden because `NSError.hash` stops the process for a subclass on Linux.
    package override var hash: Int {
        var hasher = Hasher()
        hasher.combine(domain)
        hasher.combine(code)
        return hasher.finalize()
    }

    /// An error as one line; parts that are nil are left out.
    package static func line(
        _ domain: String, _ code: Int, _ sentence: String?, _ url: URL?, beneath: (any Error)?
    ) -> String {
        var line = "\(domain) \(code)"
        if let sentence { line += ": " + Redaction.text(sentence).printable }
        if let url { line += " <" + Redaction.address(url.absoluteString) + ">" }
        if let beneath = beneath.map({ $0 as NSError }) {
            line += " (beneath: \(beneath.domain) \(beneath.code))"
        }
        return line
    }
}

extension DescribedError: CustomReflectable {
    /// Shows only the description: `userInfo` may have secrets.
    package var customMirror: Mirror {
        Mirror(
            self, children: ["description": description], displayStyle: .class,
            ancestorRepresentation: .suppressed)
    }
}

extension URLError {
    package init(_ code: Code, described userInfo: [String: Any]) {
        self.init(
            _nsError: DescribedError(
                domain: NSURLErrorDomain, code: code.rawValue, userInfo: userInfo))
    }
}

/// An error with a fixed number and a sentence: the code and the localized description of its `NSError`.
///
/// A file that reads `errorCode`, `errorDescription` or `errorUserInfo` of such a type must import
/// this module: without it Swift uses Foundation's defaults.
package protocol NumberedError: CustomNSError, LocalizedError {
    /// The number, and what went wrong in words.
    var numbered: (number: Int, sentence: String) { get }
    /// What `errorUserInfo` has besides the sentence.
    var details: [String: Any] { get }
}

extension NumberedError {
    package var details: [String: Any] { [:] }

    /// The number.
    public var errorCode: Int { numbered.number }

    /// The sentence.
    public var errorDescription: String? { numbered.sentence }

    /// The sentence as the description, and the details.
    public var errorUserInfo: [String: Any] {
        details.merging([NSLocalizedDescriptionKey: numbered.sentence]) { $1 }
    }
}

extension URLError {
    /// An error with the failing URL, a description and the underlying error.
    ///
    /// - Parameters:
    ///   - url: the URL of the request; its text is also under `NSErrorFailingURLStringKey`, where
    ///     callers of AFNetworking 2 read it.
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

extension URLError {
    /// The underlying error in its own type: a `CurlError`, `LoadLimitError`, `ProxyError`,
    /// `SecurityPolicyError` or a stream's error; nil where there is none.
    ///
    /// `userInfo[NSUnderlyingErrorKey]` has it as an `NSError`, with the same domain and code.
    public var underlyingError: (any Error)? {
        (_nsError as? DescribedError)?.cause ?? userInfo[NSUnderlyingErrorKey] as? any Error
    }
}
