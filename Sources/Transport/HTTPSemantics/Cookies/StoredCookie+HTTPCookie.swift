import Foundation
import FoundationNetworking

extension StoredCookie {
    private static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
    private static let created = HTTPCookiePropertyKey("Created")

    /// A caller's cookie, under the same rules as a server's.
    ///
    /// As everywhere in Foundation, a leading dot of the domain includes the hosts below it. Port
    /// lists, comments and versions are ignored (RFC 6265).
    init?(_ cookie: HTTPCookie, madeAt creation: Date) {
        let hasDot = cookie.domain.hasPrefix(".")
        guard let host = CanonicalHost(hasDot ? String(cookie.domain.dropFirst()) : cookie.domain)
        else { return nil }
        self.init(
            name: cookie.name, value: cookie.value, host: host, isHostOnly: !hasDot,
            path: cookie.path, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            expiry: cookie.expiresDate, creation: creation)
    }

    /// When the object was created, the only time that Foundation stores.
    static func creation(of cookie: HTTPCookie) -> Date? {
        (cookie.properties?[created] as? Double).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// Foundation sets `isSessionOnly` correctly only where Discard is set.
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
        // Foundation checks only whether these two keys exist, not their values.
        if isSecure {
            properties[.secure] = "TRUE"
        }
        if isHTTPOnly {
            properties[Self.httpOnly] = "TRUE"
        }
        return HTTPCookie(properties: properties)
    }
}
