package import Foundation
package import FoundationNetworking

/// The server that asks for a credential: an origin by 401, or a proxy by 407.
///
/// Two targets are equal when scheme, host and port are. A credential given to one target is not
/// sent to another.
package struct AuthenticationTarget: Sendable, Hashable {
    package enum Role: Sendable, Hashable, CaseIterable {
        case origin, proxy
    }

    package let role: Role
    /// An origin's scheme in lower case; a proxy's `NSURLProtectionSpace…Proxy`.
    package let type: String
    /// In lower case.
    package let host: String
    package let port: Int

    /// The server of a URL; nil when the URL has no origin.
    package init?(origin url: URL) {
        guard let origin = Origin(url) else { return nil }
        role = .origin
        (type, host, port) = (origin.scheme, origin.host, origin.port)
    }

    /// - Parameter type: `NSURLProtectionSpaceHTTPProxy` or one of the other proxy types.
    package init(proxy host: String, port: Int, type: String) {
        role = .proxy
        self.type = type
        self.host = host.lowercased()
        self.port = port
    }

    /// The header field of its challenges (RFC 9110 sections 11.6.1 and 11.7.1).
    package var challengeField: String {
        role == .proxy ? "Proxy-Authenticate" : "WWW-Authenticate"
    }

    package func space(realm: String?, method: String) -> URLProtectionSpace {
        switch role {
        case .origin:
            URLProtectionSpace(
                host: host, port: port, protocol: type, realm: realm, authenticationMethod: method)
        case .proxy:
            URLProtectionSpace(
                proxyHost: host, port: port, type: type, realm: realm, authenticationMethod: method)
        }
    }
}
