import EventRecorder
import Foundation
import HTTPSemantics

/// Everything that one exchange needs. `RequestValidation` has checked it.
struct TransferRequest {
    /// http or https, without a fragment, with no byte that RFC 3986 forbids.
    let url: URL
    let isSecure: Bool
    /// Scheme, host and port, by which connections are counted.
    let origin: String
    var method: String
    let allFields: RequestFields
    var body: RequestBody?
    /// Whether the response goes to a stream, so that it may be of any size.
    var isResponseStreamed = false
    /// Seconds without a byte either way after which the exchange fails with -1001.
    var idleLimit: TimeInterval
    /// The proxy; nil is none.
    var proxy: Proxy?
    /// What libcurl answers a 401 with.
    var authentication: TransferAuthentication?
    /// The same for a proxy's 407.
    var proxyAuthentication: TransferAuthentication?
    /// The field Proxy-Authorization, where libcurl does not write it.
    var proxyAuthorization: String?
    /// The certificate for a server that asks for one.
    var clientIdentity: ClientIdentity?
    var limits = LoadLimits()
    var connectionLimits = ConnectionLimits()
    var options = ConnectionOptions()
    /// When the exchange fails even if bytes move, in nanoseconds of the transport's clock.
    var deadline: UInt64?
    /// The name of the request in a recording, where one has it already.
    var name = EventText.none

    init(
        url: URL, method: String, fields: RequestFields, body: RequestBody?,
        idleLimit: TimeInterval
    ) {
        self.url = url
        let origin = Origin(url)
        isSecure = origin?.scheme == "https"
        self.origin = origin?.description ?? ""
        self.method = method
        allFields = fields
        self.body = body
        self.idleLimit = idleLimit
    }

    /// A pattern, because a comparison would copy the proxy.
    var hasProxy: Bool {
        if case .some = proxy { return true }
        return false
    }

    /// Whether an HTTP proxy is asked for a tunnel.
    var makesTunnel: Bool { isSecure && hasProxy && proxy?.kind.isHTTP == true }

    /// In the order in which they are sent.
    var fields: HeaderFields { allFields.lines }

    var isDecoded: Bool { allFields.isDecoded }

    /// Whether a coded body behind a head is decoded.
    func decodes(_ head: ResponseHead) -> Bool { allFields.decodes(head) }

    func hasField(_ name: String) -> Bool { fields.contains(name) }

    /// Whether a second sending does no more than one (RFC 9110 section 9.2.2).
    var isIdempotent: Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method.uppercased())
    }
}

/// A login for libcurl, which carries out the schemes that take several requests on one connection.
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

extension TransferAuthentication.Scheme {
    /// libcurl's bit for exactly this scheme.
    var mask: Int {
        switch self {
        case .basic: 1 << 0
        case .digest: 1 << 1
        case .negotiate: 1 << 2
        case .ntlm: 1 << 3
        }
    }
}
