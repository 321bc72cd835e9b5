import Foundation
public import HTTPSemantics

/// Why something cannot be used as a proxy, or as an exception from one.
///
/// As an NSError it has the domain `CurlConnection.proxy`; the numbers never change. It never holds
/// the value that was wrong, since that may be a password.
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
        /// User or password hold a control byte, are not UTF-8 when decoded, are longer than the
        /// protocol can carry, or the protocol has no place for them.
        case badLogin = 5
        /// There is more than scheme, login, host and port.
        case notAProxyURL = 6
        /// A host that is to go direct is not written as `Proxy.exceptions` says.
        case badException = 7
        /// A value of a dictionary has the wrong type.
        case badValue = 8
        /// The server's name has more than 255 bytes, and a SOCKS proxy takes no longer one.
        case hostTooLong = 9
    }

    /// What was wrong.
    public let reason: Reason
    /// The environment variable or the key in which it was found; nil where it was given directly.
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
        case .notAProxyURL: "A proxy has a scheme, a login, a host and a port, and nothing else."
        case .badException:
            "A host that goes past the proxy is neither a name, an address nor a network."
        case .badValue: "The value has the wrong type."
        case .hostTooLong: "A SOCKS proxy takes host names of at most 255 bytes."
        }
    }
}
