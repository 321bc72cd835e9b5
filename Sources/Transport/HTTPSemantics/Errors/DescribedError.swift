import EventRecorder
package import Foundation

/// An error that prints as one line without secrets: domain and code, sentence, address, and the
/// code of what lies beneath.
///
/// Foundation's own prints its `userInfo` as a nested dump, with every address as it is.
package final class DescribedError: NSError, @unchecked Sendable {
    // @unchecked because it restates the superclass; what is added is constant.

    /// What lies beneath, in its own type; `userInfo` has it as an `NSError`.
    package let cause: (any Error)?

    /// Makes an error; an error beneath goes into `userInfo` as an `NSError`.
    package init(domain: String, code: Int, userInfo: [String: Any]) {
        cause = userInfo[NSUnderlyingErrorKey] as? any Error
        var userInfo = userInfo
        userInfo[NSUnderlyingErrorKey] = cause.map(Self.object)
        for key in Self.sentences {
            if let text = userInfo[key] as? String { userInfo[key] = text.printable }
        }
        super.init(domain: domain, code: code, userInfo: userInfo)
    }

    /// Where a peer's words may stand.
    private static let sentences = [
        NSLocalizedDescriptionKey, NSLocalizedFailureReasonErrorKey, NSDebugDescriptionErrorKey,
    ]

    /// Not possible: on Linux no error can be archived.
    ///
    /// - Returns: nil.
    package required init?(coder: NSCoder) {
        nil
    }

    /// An error as an object; one that is a value prints as one line too.
    package static func object(_ error: any Error) -> NSError {
        if type(of: error) is NSError.Type { return error as NSError }
        let error = error as NSError
        return DescribedError(domain: error.domain, code: error.code, userInfo: error.userInfo)
    }

    /// Foundation's error about a peer's bytes, which its words may quote.
    package static func quoting(_ error: any Error) -> any Error {
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

    /// Foundation's own stops the process for a subclass.
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
    /// The description: `userInfo` may hold secrets.
    package var customMirror: Mirror {
        Mirror(
            self, children: ["description": description], displayStyle: .class,
            ancestorRepresentation: .suppressed)
    }
}

extension URLError {
    /// An error that prints as one line, as ``DescribedError`` has it.
    package init(_ code: Code, described userInfo: [String: Any]) {
        self.init(
            _nsError: DescribedError(
                domain: NSURLErrorDomain, code: code.rawValue, userInfo: userInfo))
    }
}
