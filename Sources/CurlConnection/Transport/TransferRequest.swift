import Foundation

/// Everything one exchange needs, as a value; checked before it comes here.
struct TransferRequest {
    /// http or https, without fragment, no byte outside what RFC 3986 allows.
    var url: URL
    var method: String
    /// Lines in the order they go out; neither name nor value holds CR, LF or NUL.
    var fields: [(name: String, value: String)]
    var body: RequestBody?
    /// Whether libcurl offers the codings it knows and undoes them.
    var isDecoded = true
    /// Seconds without a byte either way after which the exchange fails with -1001.
    var idleLimit: TimeInterval
    /// When the exchange fails even if bytes move, in nanoseconds of the monotonic clock.
    var deadline: UInt64?

    init(
        url: URL, method: String, fields: [(name: String, value: String)], body: RequestBody?,
        idleLimit: TimeInterval
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.body = body
        self.idleLimit = idleLimit
    }

    var isSecure: Bool { url.scheme?.lowercased() == "https" }

    /// Whether a second sending does no more than one (RFC 9110 section 9.2.2).
    var isIdempotent: Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method.uppercased())
    }
}
