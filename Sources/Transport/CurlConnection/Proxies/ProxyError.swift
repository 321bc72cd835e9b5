import Foundation
public import HTTPSemantics

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
