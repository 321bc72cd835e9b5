package import Foundation

/// Limits of one load; a load that exceeds one fails with an error of its own.
///
/// A response is never cut off silently.
public struct LoadLimits: Hashable, Sendable, Codable {
    /// Redirects that are followed. One more fails with `URLError.httpTooManyRedirects`.
    public var redirects = 20
    /// Bytes of a body that is collected in memory, counted after decoding.
    ///
    /// A memory stream has this limit too. A body that goes to another output stream, to a file or
    /// to a caller's delegate has none; a downloaded file has it where a request's serializer reads
    /// the file. What a class of `protocolClasses` loads has it until it is delivered.
    public var bodyInMemory: Int64 = 64 << 20
    /// How many times larger a decompressed body may be, checked once it is larger than 1 MiB; nil:
    /// no limit. A body that goes to an output stream or a download's file has no limit.
    public var decompressionRatio: Int? = 200
    /// Bytes of a response's status line and header fields, line ends included; at most 307,200,
    /// and 102,400 for one line, which are libcurl's own limits.
    public var head = 307_200

    /// The limits named at each property.
    public init() {}

    package static let ratioIsAskedFrom = 1 << 20
}

/// The limit of `LoadLimits` that a response exceeded: the underlying error of the `URLError`.
///
/// As an `NSError` it has the domain `CurlConnection.limit`; later versions keep its codes.
public struct LoadLimitError: NumberedError, Hashable, Sendable {
    /// Which limit.
    public enum Limit: Int, Hashable, Sendable {
        case redirects = 1
        case bodyInMemory = 2
        case decompressionRatio = 3
        case head = 4
    }

    /// Which limit was exceeded.
    public let limit: Limit
    /// The limit's value: a count, bytes, or a ratio.
    public let value: Int64

    package init(_ limit: Limit, _ value: Int64) {
        self.limit = limit
        self.value = value
    }

    /// `CurlConnection.limit`.
    public static var errorDomain: String { "CurlConnection.limit" }

    package var numbered: (number: Int, sentence: String) { (limit.rawValue, sentence) }

    private var sentence: String {
        switch limit {
        case .redirects:
            "The server redirected more than \(value) times (limits.redirects)."
        case .bodyInMemory:
            "The body is larger than the \(value) bytes that may be collected in memory; "
                + "use an output stream, or set limits.bodyInMemory."
        case .decompressionRatio:
            "The compressed body became more than \(value) times larger "
                + "(limits.decompressionRatio)."
        case .head:
            "The response's head is larger than \(value) bytes (limits.head)."
        }
    }

    package func urlError(_ url: URL?) -> URLError {
        URLError(
            limit == .redirects ? .httpTooManyRedirects : .dataLengthExceedsMaximum, url: url,
            text: errorDescription, underlying: self)
    }
}
