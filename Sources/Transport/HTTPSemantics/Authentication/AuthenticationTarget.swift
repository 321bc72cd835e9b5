package import Foundation
package import FoundationNetworking

/// The server that asks for a credential: an origin by 401, or a proxy by 407.
///
/// Two targets are equal when role, scheme or type, host and port are. A credential given to one target
/// is not sent to another.
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

    init(_ space: URLProtectionSpace) {
        role = space.isProxy() ? .proxy : .origin
        type = (role == .proxy ? space.proxyType : space.protocol?.lowercased()) ?? ""
        (host, port) = (space.host.lowercased(), space.port)
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

/// A protection space that compares by value; on Linux Foundation's equals only itself.
struct ProtectionSpaceKey: Hashable, Sendable {
    let target: AuthenticationTarget
    let realm: String?
    let method: String

    init(_ space: URLProtectionSpace) {
        target = AuthenticationTarget(space)
        realm = space.realm
        method = space.authenticationMethod
    }
}

/// The user and password of a URL (RFC 3986 section 3.2.1).
package enum URLUserInfo {
    /// The credential in a URL, percent-decoded; nil when there is none.
    ///
    /// A missing password is the empty one. Text that does not decode to UTF-8 stays
    /// percent-encoded. The credential is for this one load, so its persistence is `.none`.
    package static func credential(in url: URL) -> URLCredential? {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        let user = parts.percentEncodedUser ?? ""
        let password = parts.percentEncodedPassword ?? ""
        guard !user.isEmpty || !password.isEmpty else { return nil }
        return URLCredential(
            user: user.removingPercentEncoding ?? user,
            password: password.removingPercentEncoding ?? password, persistence: .none)
    }

    /// The URL without user and password; nil where Foundation cannot write it, which happens only
    /// to a URL that had them.
    package static func removed(from url: URL) -> URL? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return url.user() == nil && url.password() == nil ? url : nil
        }
        guard parts.percentEncodedUser != nil || parts.percentEncodedPassword != nil else {
            return url
        }
        parts.percentEncodedUser = nil
        parts.percentEncodedPassword = nil
        return parts.url
    }
}
