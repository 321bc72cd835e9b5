import EventRecorder
import Foundation
import HTTPSemantics

/// Everything that one exchange needs. `RequestValidation` has checked it.
struct TransferRequest {
    /// http or https, without login and fragment, and without a blank or control byte.
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

    var makesTunnel: Bool { isSecure && hasProxy && proxy?.kind.isHTTP == true }

    /// The target of the request line: the whole URL for a proxy that forwards, else path and query.
    var requestTarget: String {
        proxy?.kind.isHTTP == true && !isSecure
            ? url.forwardedTarget : url.requestTarget
    }

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
struct TransferAuthentication {
    var scheme: AuthenticationOffer.Method
    var user: String
    var password: String
    /// Requests that may go out for it.
    var requestLimit: Int
}

extension AuthenticationOffer.Method {
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

/// Where connections lead instead of to the addresses of the host's name.
struct ConnectionRoute: Hashable {
    /// The socket of the request's own origin.
    var unixDomainSocketPath: String?
    /// By host, in lower case.
    var addresses: [String: [String]] = [:]

    var isPlain: Bool { unixDomainSocketPath == nil && addresses.isEmpty }

    /// Those of a host that is not to be looked up.
    func addresses(of host: String) -> [String]? {
        addresses.isEmpty ? nil : addresses[host]
    }

    /// What distinguishes it from the plain route to a URL; nil where it is no other.
    func name(to url: URL?) -> String? {
        if let unixDomainSocketPath { return "socket \(unixDomainSocketPath)" }
        guard !addresses.isEmpty, let host = url?.host(percentEncoded: false) else { return nil }
        return addresses(of: host.lowercased()).map { "addresses \($0.joined(separator: " "))" }
    }

    /// Why connections cannot lead there; nil where they can.
    var objection: String? {
        if let path = unixDomainSocketPath, !(1...Self.longestPath).contains(path.utf8.count) {
            return "unixDomainSocketPath takes 1 to \(Self.longestPath) bytes."
        }
        for (host, addresses) in addresses {
            if addresses.isEmpty { return "hostAddresses has no address of \(host)." }
            if let other = addresses.first(where: { !Self.isAddress($0) }) {
                return "hostAddresses has \"\(other)\" for \(host), which is no IP address."
            }
        }
        return nil
    }

    /// What `sockaddr_un` has room for, with a zero at its end.
    private static let longestPath = 107

    private static func isAddress(_ text: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }
}

/// What an exchange asks of its connection and of the pace on it.
struct ConnectionOptions {
    var route = ConnectionRoute()
    /// Seconds for look-up, connection and TLS together.
    var connectLimit: TimeInterval?
    var minimumTLSVersion = TLSVersion.tls12
    /// Bytes a second.
    var receiveRate: Int64?
    var sendRate: Int64?

    var isRateLimited: Bool { receiveRate != nil || sendRate != nil }
}

// What libcurl writes into a request line, which an answer to Digest is made for.

extension URL {
    private var afterScheme: Substring {
        let text = absoluteString.prefix { $0 != "#" }
        return text.range(of: "://").map { text[$0.upperBound...] } ?? text
    }

    /// The host and the port, without user and password.
    private var hostAndPort: Substring {
        let authority = afterScheme.prefix { $0 != "/" && $0 != "?" }
        return authority.split(separator: "@").last ?? authority
    }

    /// The path and the query.
    var requestTarget: String {
        let rest = afterScheme
        let target = rest.drop { $0 != "/" && $0 != "?" }
        return target.hasPrefix("/") ? String(target) : "/" + target
    }

    /// The URL for a proxy that forwards a request of http, with the host and port of the field Host.
    var forwardedTarget: String {
        var authority = hostAndPort
        for port in [":80", ":"] where authority.hasSuffix(port) {
            authority.removeLast(port.count)
        }
        return "http://" + authority + requestTarget
    }

    /// The host and the port of CONNECT, which goes to servers of https.
    var tunnelTarget: String {
        var host = hostAndPort
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            host = host[..<colon]
        }
        return "\(host):\(port ?? 443)"
    }
}
