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
    /// How libcurl answers a 401.
    var authentication: TransferAuthentication?
    /// How libcurl answers a proxy's 407.
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
        url: URL, origin: (text: String, isSecure: Bool), method: String, fields: RequestFields,
        body: RequestBody?, idleLimit: TimeInterval
    ) {
        self.url = url
        (self.origin, isSecure) = origin
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

/// The origin of the request before. Mostly the next one goes there too, and comparing bytes is faster than taking a
/// URL apart.
struct LatestOrigin {
    /// The address up to the end of the origin's part of it.
    private var prefix: [UInt8] = []
    private var text = ""
    private var isSecure = false

    mutating func origin(of url: URL) -> (text: String, isSecure: Bool) {
        var address = url.absoluteString
        address.withUTF8 { bytes in
            if !isInside(bytes) { note(url, bytes) }
        }
        return (text, isSecure)
    }

    /// Whether an address has the same origin, as far as its first bytes say.
    private func isInside(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !prefix.isEmpty, address.starts(with: prefix) else { return false }
        return address.count == prefix.count || Self.endsOrigin(address[prefix.count])
    }

    private mutating func note(_ url: URL, _ address: UnsafeBufferPointer<UInt8>) {
        let origin = Origin(url)
        text = origin?.description ?? ""
        isSecure = origin?.scheme == "https"
        let authority = address.dropFirst((url.scheme?.utf8.count ?? 0) + "://".utf8.count)
        let end = authority.firstIndex(where: Self.endsOrigin) ?? address.endIndex
        // Nothing is stored for a URL without an origin, because another one may begin with the same bytes.
        prefix = origin == nil ? [] : Array(address[..<end])
    }

    /// Whether a byte behind the authority's first ends it (RFC 3986 section 3.2).
    private static func endsOrigin(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
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
