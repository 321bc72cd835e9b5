import EventRecorder
import Foundation
import HTTPSemantics

/// Everything one exchange needs, as a value; checked before it comes here.
struct TransferRequest {
    /// http or https, without fragment, no byte outside what RFC 3986 allows.
    let url: URL
    let isSecure: Bool
    var method: String
    /// Lines in the order they go out; neither name nor value holds CR, LF or NUL.
    var fields: HeaderFields
    var body: RequestBody?
    /// Whether gzip and deflate are offered, and undone.
    var isDecoded = true
    /// Whether the answer goes to a stream, so that it may be of any size.
    var isAnswerStreamed = false
    /// Seconds without a byte either way after which the exchange fails with -1001.
    var idleLimit: TimeInterval
    /// Where the exchange goes through; nil goes straight.
    var proxy: Proxy?
    /// What libcurl answers a 401 with, in as many rounds as the scheme has.
    var authentication: TransferAuthentication?
    /// The same for a proxy's 407.
    var proxyAuthentication: TransferAuthentication?
    /// What is shown to a server that asks for a certificate.
    var clientIdentity: ClientIdentity?
    var limits = LoadLimits()
    var connectionLimits = ConnectionLimits()
    /// When the exchange fails even if bytes move, in nanoseconds of the monotonic clock.
    var deadline: UInt64?
    /// What a recording calls it, where that is known already.
    var name = EventText.none

    init(
        url: URL, method: String, fields: HeaderFields, body: RequestBody?,
        idleLimit: TimeInterval
    ) {
        self.url = url
        isSecure = url.scheme?.lowercased() == "https"
        self.method = method
        self.fields = fields
        self.body = body
        self.idleLimit = idleLimit
    }

    func hasField(_ name: String) -> Bool { fields.contains(name) }

    /// Scheme, host and port: what connections are counted by.
    var origin: String { Origin(url)?.description ?? "" }

    /// Whether a second sending does no more than one (RFC 9110 section 9.2.2).
    var isIdempotent: Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method.uppercased())
    }
}

/// Who one is, for the schemes that take several rounds on one connection: libcurl carries them
/// out.
struct TransferAuthentication: Hashable {
    enum Scheme: Hashable {
        case basic, digest, ntlm, negotiate
    }

    var scheme: Scheme
    var user: String
    var password: String
    /// Requests that may go out for it.
    var requestLimit: Int
}
