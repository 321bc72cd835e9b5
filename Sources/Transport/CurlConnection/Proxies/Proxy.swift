public import Foundation
public import HTTPSemantics

/// A server that forwards requests: its address, its protocol and the login for it.
///
/// The initializer checks it. Its login is sent to it alone and is in no description.
/// Loads through distinct proxies, or with distinct logins, never share a connection.
public struct Proxy: Hashable, Sendable {
    /// The protocol of a proxy.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// HTTP (RFC 9110 section 7): http URLs are forwarded, https URLs tunnelled by CONNECT. The
        /// proxy finds the address.
        case http
        /// The same inside TLS 1.2 or later, with the proxy's certificate judged.
        case https
        /// SOCKS 4: IPv4 alone; the address is found here.
        case socks4
        /// SOCKS 4 with names: the proxy finds the address.
        case socks4a
        /// SOCKS 5 (RFC 1928); the address is found here.
        case socks5
        /// SOCKS 5; the proxy finds the address.
        case socks5h

        /// Whether it speaks HTTP.
        public var isHTTP: Bool { self == .http || self == .https }
    }

    /// Its protocol.
    public let kind: Kind
    /// A name in lower-case ASCII, or an address without brackets.
    public let host: String
    /// From 1 to 65535.
    public let port: Int
    /// The user, not percent-encoded; nil sends no login.
    ///
    /// The login is sent without a challenge: as Basic (RFC 7617) to an HTTP proxy, else as the protocol
    /// has it.
    public let user: String?
    /// The user's password, not percent-encoded.
    public let password: String?
    /// Hosts that go direct, as they were given. See `init(_:host:port:user:password:exceptions:)`.
    public private(set) var exceptions: [String]
    /// The roots for an HTTPS proxy's certificate; nil means the system's, or those that `SSL_CERT_FILE`
    /// and `SSL_CERT_DIR` name instead. libcurl checks chain, dates and name.
    public var anchorCertificates: [Certificate]?

    private var patterns: [ProxyException]

    /// Makes a proxy.
    ///
    /// - Parameters:
    ///   - port: nil means libcurl's: 443 for https, 1080 for the others.
    ///   - user: without a colon for HTTP; 1 to 255 bytes for SOCKS 5 (RFC 1929).
    ///   - password: only with a user; at most 255 bytes for SOCKS 5; SOCKS 4 has none.
    ///   - exceptions: hosts that go direct, each `name` or `.name` (it and all below it), `*.name`
    ///     (all below it), an address, a network such as `10.0.0.0/8` or `fd00::/8`, or `*` (every
    ///     host). `:port` after a name or an address (an IPv6 one in brackets) limits it to a port.
    /// - Throws: `ProxyError`.
    public init(
        _ kind: Kind, host: String, port: Int? = nil, user: String? = nil, password: String? = nil,
        exceptions: [String] = []
    ) throws(ProxyError) {
        guard !host.isEmpty else { throw ProxyError(.noHost) }
        guard !host.contains("%"),
            let name = HostName.address(in: host) ?? HostName.canonical(host)?.lowercased(),
            name.utf8.count <= 255
        else { throw ProxyError(.badHost) }
        let port = port ?? (kind == .https ? 443 : 1_080)
        guard (1...65_535).contains(port) else { throw ProxyError(.badPort) }
        guard Self.canSend(user, password, to: kind) else { throw ProxyError(.badLogin) }
        self.kind = kind
        self.host = name
        self.port = port
        self.user = user
        self.password = password
        self.exceptions = exceptions
        patterns = []
        for text in exceptions { patterns.append(try ProxyException(text)) }
    }

    /// Makes a proxy from a URL such as `http://user:p%40ss@proxy.example:3128`.
    ///
    /// - Parameters:
    ///   - url: scheme, host, and optionally a login, percent-encoded, and a port; nothing else.
    ///   - exceptions: see `init(_:host:port:user:password:exceptions:)`.
    /// - Throws: `ProxyError`.
    public init(url: URL, exceptions: [String] = []) throws(ProxyError) {
        try self.init(text: url.absoluteString, exceptions: exceptions)
    }

    /// The same from text. `socks` means socks4, as libcurl has it.
    init(text: String, exceptions: [String] = []) throws(ProxyError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let parts = WrittenURL.escaped(text).flatMap({ URLComponents(string: $0) }),
            let scheme = parts.scheme?.lowercased()
        else { throw ProxyError(.notAProxyURL) }
        guard let kind = scheme == "socks" ? .socks4 : Kind(rawValue: scheme) else {
            throw ProxyError(.unknownScheme)
        }
        guard parts.percentEncodedPath.isEmpty || parts.percentEncodedPath == "/",
            parts.query == nil, parts.fragment == nil
        else { throw ProxyError(.notAProxyURL) }
        let digits = parts.rangeOfPort.flatMap { parts.string?[$0] } ?? ""
        guard digits.isEmpty || parts.port.map(String.init) == String(digits) else {
            throw ProxyError(.badPort)
        }
        try self.init(
            kind, host: parts.host ?? "", port: parts.port,
            user: Self.decoded(parts.percentEncodedUser),
            password: Self.decoded(parts.percentEncodedPassword), exceptions: exceptions)
    }

    private static func decoded(_ text: String?) throws(ProxyError) -> String? {
        guard let text else { return nil }
        guard let decoded = text.removingPercentEncoding else { throw ProxyError(.badLogin) }
        return decoded
    }

    private static func canSend(_ user: String?, _ password: String?, to kind: Kind) -> Bool {
        guard let user else { return password == nil }
        let isPlain = [user, password ?? ""].allSatisfy { text in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        guard isPlain else { return false }
        return switch kind {
        case .http, .https: !user.utf8.contains(UInt8(ascii: ":"))
        case .socks4, .socks4a: !user.isEmpty && user.utf8.count <= 255 && password == nil
        case .socks5, .socks5h:
            (1...255).contains(user.utf8.count) && (password ?? "").utf8.count <= 255
        }
    }

    /// Whether a URL is loaded without the proxy.
    func isException(_ url: URL) -> Bool {
        patterns.contains { $0.matches(url) }
    }

    /// The same proxy as part of a transport's key, without the exceptions.
    var withoutExceptions: Proxy {
        var proxy = self
        proxy.exceptions = []
        proxy.patterns = []
        return proxy
    }

    /// Host and port, with brackets around an IPv6 address.
    var authority: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Kind, host and port; no login.
    public var description: String { "\(kind.rawValue)://\(authority)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Kind, host and port; no login.
    public var customMirror: Mirror {
        Mirror(self, children: ["kind": kind, "host": host, "port": port], displayStyle: .struct)
    }
}
