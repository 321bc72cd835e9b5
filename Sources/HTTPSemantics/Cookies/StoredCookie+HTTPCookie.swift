import Foundation
import FoundationNetworking

extension StoredCookie {
    private static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
    private static let created = HTTPCookiePropertyKey("Created")

    /// Takes a caller's cookie under the same rules as a server's.
    ///
    /// As everywhere in Foundation a dot before the domain means that hosts below it get the cookie
    /// too. A list of ports, comments and versions mean nothing (RFC 6265).
    init?(_ cookie: HTTPCookie, madeAt creation: Date) {
        let hasDot = cookie.domain.hasPrefix(".")
        guard let host = CanonicalHost(hasDot ? String(cookie.domain.dropFirst()) : cookie.domain)
        else { return nil }
        self.init(
            name: cookie.name, value: cookie.value, host: host, isHostOnly: !hasDot,
            path: cookie.path, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            expiry: cookie.expiresDate, creation: creation)
    }

    /// When the object was made, which is all that Foundation keeps.
    static func creation(of cookie: HTTPCookie) -> Date? {
        (cookie.properties?[created] as? Double).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// Foundation's form, whose `isSessionOnly` is right only if Discard is set.
    var httpCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .path: path,
            .domain: identity.isHostOnly ? host.text : "." + host.text,
        ]
        if let expiry {
            properties[.expires] = expiry
        } else {
            properties[.discard] = "TRUE"
        }
        // Both keys count by being there, whatever they say.
        if isSecure {
            properties[.secure] = "TRUE"
        }
        if isHTTPOnly {
            properties[Self.httpOnly] = "TRUE"
        }
        return HTTPCookie(properties: properties)
    }
}
