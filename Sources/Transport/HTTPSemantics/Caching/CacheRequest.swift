package import Foundation
package import FoundationNetworking

/// What the cache needs to know about a request; made once for each request of a load.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none.
package final class CacheRequest {
    package let request: URLRequest
    private let fields: [String: String]
    package let url: URL?
    /// Hashed at the first look-up.
    private(set) lazy var key = url.flatMap { CacheKey($0) }
    package let method: String
    let control: CacheControl
    /// Identifies the requirements on the server's certificate, the route and the proxy that forwards; nil for the
    /// default ones. A response is served only to requests with the same.
    package let audience: String?

    package init(_ request: URLRequest, audience: String? = nil) {
        self.request = request
        self.audience = audience
        let fields = request.allHTTPHeaderFields ?? [:]
        self.fields = fields
        url = request.url
        method = request.httpMethod ?? "GET"
        let field = Self.field("Cache-Control", in: fields)
        var control = CacheControl(field.map { [$0] } ?? [])
        if field == nil, let pragma = Self.field("Pragma", in: fields),
            CacheControl([pragma]).has("no-cache")
        {
            control.add("no-cache")
        }
        self.control = control
    }

    package func field(_ name: String) -> String? { Self.field(name, in: fields) }

    private static func field(_ name: String, in fields: [String: String]) -> String? {
        fields.first { $0.key.isSameField(as: name) }?.value
    }

    var isHead: Bool { method == "HEAD" }

    /// Methods that change nothing on the server (RFC 9110 section 9.2.1); other methods
    /// invalidate.
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    private(set) lazy var bypass: CacheReason? = {
        guard let url, Origin(url) != nil else { return .notHTTP }
        guard method == "GET" || isHead else { return .method(method) }
        guard request.httpBody == nil, request.httpBodyStream == nil else { return .body }
        let own = [
            "Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match",
            "If-Unmodified-Since",
        ]
        return own.first { field($0) != nil }.map { .ownCondition($0) }
    }()

    /// The value of a field that Vary may name; for Authorization also the credential in the URL.
    package func value(of name: String) -> String? {
        field(name).map(Self.normalized) ?? (name == "authorization" ? credentialOfURL : nil)
    }

    private lazy var credentialOfURL = url?.user.map { "\($0):\(url?.password ?? "")" }

    /// White space around commas does not matter (RFC 9111 section 4.1).
    private static func normalized(_ value: String) -> String {
        value.contains("\"") ? value : FieldValue.members(of: value).joined(separator: ",")
    }
}

/// The status line and header fields of a response as received.
package struct ReceivedResponse: Sendable {
    package let status: Int
    /// In the order received, one element for each line.
    let fields: HeaderFields
    package let requestTime: Date
    package let responseTime: Date
    /// Whether the body is decoded by its Content-Encoding before it is delivered.
    package let isDecoded: Bool

    package init(
        status: Int, fields: HeaderFields, requestTime: Date,
        responseTime: Date, isDecoded: Bool
    ) {
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isDecoded = isDecoded
    }
}
