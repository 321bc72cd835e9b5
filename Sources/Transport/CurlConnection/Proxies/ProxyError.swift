import Foundation
public import HTTPSemantics

/// Why a proxy, or an exception from one, is refused.
///
/// As an NSError it has the domain `CurlConnection.proxy`; the numbers never change. It never has
/// the wrong value, which may be a password.
public struct ProxyError: NumberedError, Hashable, Sendable {
    /// What was wrong.
    public enum Reason: Int, Hashable, Sendable {
        /// The scheme is none of http, https, socks4, socks4a, socks5 and socks5h.
        case unknownScheme = 1
        /// There is no host.
        case noHost = 2
        /// The host is neither a name nor an address.
        case badHost = 3
        /// The port is not a number from 1 to 65535.
        case badPort = 4
        /// The user or password has a control character, is not UTF-8 when decoded, or cannot be sent by
        /// the proxy's protocol.
        case badLogin = 5
        /// The URL has more than scheme, login, host and port.
        case notAProxyURL = 6
        /// An exception does not have one of the forms of `Proxy.exceptions`.
        case badException = 7
        /// A value of a dictionary has the wrong type.
        case badValue = 8
        /// The server's name has more than 255 bytes, the limit of SOCKS.
        case hostTooLong = 9
    }

    /// What was wrong.
    public let reason: Reason
    /// The environment variable or the dictionary's key; nil for an argument.
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
            "A proxy's URL has a scheme, a login, a host and a port, and nothing else."
        case .badException:
            "A host to load without the proxy is neither a name, an address nor a network."
        case .badValue: "The value has the wrong type."
        case .hostTooLong: "A SOCKS proxy accepts host names of at most 255 bytes."
        }
    }
}
