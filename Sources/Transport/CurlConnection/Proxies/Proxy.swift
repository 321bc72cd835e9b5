public import Foundation
public import HTTPSemantics

/// A server that forwards requests: its address, its protocol and the login for it.
///
/// The login is sent to the proxy alone and is in no description. Loads through different proxies, or with
/// different logins, never share a connection.
public struct Proxy: Hashable, Sendable {
    /// The protocol of a proxy.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// HTTP (RFC 9110 section 7): http URLs are forwarded, https URLs tunnelled by CONNECT. The
        /// proxy looks host names up.
        case http
        /// Like `http`, but by a TLS connection to the proxy (1.2 or later), whose certificate is verified.
        case https
        /// SOCKS 4: IPv4 alone; this machine looks host names up.
        case socks4
        /// SOCKS 4 with names: the proxy looks them up.
        case socks4a
        /// SOCKS 5 (RFC 1928); this machine looks host names up.
        case socks5
        /// SOCKS 5; the proxy looks host names up.
        case socks5h

        /// Whether the proxy's protocol is HTTP.
        public var isHTTP: Bool { self == .http || self == .https }
    }

    /// The proxy's protocol.
    public let kind: Kind
    /// A name in lower-case ASCII, or an address without brackets.
    public let host: String
    /// From 1 to 65535.
    public let port: Int
    /// The user, not percent-encoded; nil sends no login.
    ///
    /// The login is sent without a challenge: as Basic (RFC 7617) to an HTTP proxy, else in the protocol's
    /// own form.
    public let user: String?
    /// The user's password, not percent-encoded.
    public let password: String?
    /// Hosts that are loaded without the proxy. See `init(_:host:port:user:password:exceptions:)`.
    public private(set) var exceptions: [String]
    /// The roots for an HTTPS proxy's certificate; nil means the system's, or those that `SSL_CERT_FILE`
    /// and `SSL_CERT_DIR` name instead. libcurl checks chain, dates and name.
    public var anchorCertificates: [Certificate]?

    private var patterns: [ProxyException]

    /// Makes a proxy.
    ///
    /// - Parameters:
    ///   - port: nil means libcurl's: 443 for https, 1080 for the others.
    ///   - user: without a colon for HTTP; 1 to 255 bytes for SOCKS.
    ///   - password: only with a user; at most 255 bytes for SOCKS 5 (RFC 1929); SOCKS 4 has none.
    ///   - exceptions: hosts that are loaded without the proxy, each `name` or `.name` (it and all below
    ///     it), `*.name` (all below it), an address, a network such as `10.0.0.0/8` or `fd00::/8`, or `*`
    ///     (every host). `:port` after a name or an address (an IPv6 one in brackets) means that port only.
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
    ///   - url: a scheme, a host, and optionally a percent-encoded login and a port; nothing else.
    ///   - exceptions: see `init(_:host:port:user:password:exceptions:)`.
    /// - Throws: `ProxyError`.
    public init(url: URL, exceptions: [String] = []) throws(ProxyError) {
        try self.init(text: url.absoluteString, exceptions: exceptions)
    }

    /// Makes a proxy from the text of a URL. The scheme `socks` means socks4, as for libcurl.
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

    /// As part of a transport's key.
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

extension Proxy: Codable {
    private enum Key: String, CodingKey {
        case kind, host, port, user, exceptions, anchors
    }

    /// Leaves out a login that has a password, which no file should have.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(host, forKey: .host)
        try values.encode(port, forKey: .port)
        try values.encodeIfPresent(password == nil ? user : nil, forKey: .user)
        try values.encode(exceptions, forKey: .exceptions)
        try values.encodeIfPresent(anchorCertificates?.map(\.der), forKey: .anchors)
    }

    /// - Throws: also `ProxyError` and `CertificateError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        try self.init(
            values.decode(Kind.self, forKey: .kind),
            host: values.decode(String.self, forKey: .host),
            port: values.decode(Int.self, forKey: .port),
            user: values.decodeIfPresent(String.self, forKey: .user),
            exceptions: values.decode([String].self, forKey: .exceptions))
        anchorCertificates = try values.decodeIfPresent([Data].self, forKey: .anchors)?
            .map { try Certificate(der: $0) }
    }
}

/// The reason why a proxy setting is not valid, or why its proxy cannot be used for a request.
///
/// As an `NSError` it has the domain `CurlConnection.proxy`, and the code is the raw value of its `reason`; later
/// versions keep these codes. The invalid text itself is not part of the error, because it may be a password.
public struct ProxyError: NumberedError, Hashable, Sendable {
    /// The part of the setting that is not valid, and why.
    public enum Reason: Int, Hashable, Sendable {
        /// The scheme is none of http, https, socks4, socks4a, socks5 and socks5h.
        case unknownScheme = 1
        /// The setting names no host of a proxy.
        case noHost = 2
        /// The host is neither a name nor an address.
        case badHost = 3
        /// The port is not a number from 1 to 65535.
        case badPort = 4
        /// The user or password has a control character, is not UTF-8 after percent-decoding, or has a length or a
        /// character that the proxy's protocol cannot send.
        case badLogin = 5
        /// The proxy's URL cannot be parsed, or has more parts than scheme, user, password, host and port.
        case notAProxyURL = 6
        /// An entry of `Proxy.exceptions`, the hosts that are loaded without the proxy, has none of the forms that
        /// `Proxy.init(_:host:port:user:password:exceptions:)` names.
        case badException = 7
        /// A value of a `connectionProxyDictionary` has the wrong type.
        case badValue = 8
        /// The host name in the request's URL is longer than 255 bytes, the most that SOCKS can send.
        case hostTooLong = 9
    }

    /// The part of the setting that is not valid.
    public let reason: Reason
    /// The environment variable, or the key of the `connectionProxyDictionary`, that names the proxy. Nil if the proxy was
    /// made with arguments, and for `hostTooLong`.
    public let source: String?

    package init(_ reason: Reason, in source: String? = nil) {
        self.reason = reason
        self.source = source
    }

    func found(in source: String) -> ProxyError {
        ProxyError(reason, in: source)
    }

    /// `CurlConnection.proxy`.
    public static var errorDomain: String { "CurlConnection.proxy" }

    package var numbered: (number: Int, sentence: String) {
        (reason.rawValue, (source.map { "\($0): " } ?? "") + sentence)
    }

    private var sentence: String {
        switch reason {
        case .unknownScheme:
            "The proxy's scheme is none of http, https, socks4, socks4a, socks5 and socks5h."
        case .noHost: "The proxy has no host."
        case .badHost: "The proxy's host is neither a name nor an address."
        case .badPort: "The proxy's port is not a number from 1 to 65535."
        case .badLogin: "The proxy's user or password cannot be sent to it."
        case .notAProxyURL:
            "A proxy's URL may have only a scheme, a user, a password, a host and a port."
        case .badException:
            "An entry of the proxy's exceptions is not a host name, an address or a network."
        case .badValue: "The value for this key has the wrong type."
        case .hostTooLong: "A SOCKS proxy accepts host names of at most 255 bytes."
        }
    }
}
