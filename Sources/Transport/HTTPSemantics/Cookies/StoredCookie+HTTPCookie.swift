import Foundation
import FoundationNetworking

extension StoredCookie {
    private static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
    private static let created = HTTPCookiePropertyKey("Created")

    /// Makes a cookie of a caller's, under the same rules as a server's.
    ///
    /// As everywhere in Foundation, a leading dot of the domain means that hosts below it get the
    /// cookie too. Port lists, comments and versions are ignored (RFC 6265).
    init?(_ cookie: HTTPCookie, madeAt creation: Date) {
        let hasDot = cookie.domain.hasPrefix(".")
        guard let host = CanonicalHost(hasDot ? String(cookie.domain.dropFirst()) : cookie.domain)
        else { return nil }
        self.init(
            name: cookie.name, value: cookie.value, host: host, isHostOnly: !hasDot,
            path: cookie.path, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            expiry: cookie.expiresDate, creation: creation)
    }

    /// When the object was created, which is the only time that Foundation keeps.
    static func creation(of cookie: HTTPCookie) -> Date? {
        (cookie.properties?[created] as? Double).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// Foundation's form; its `isSessionOnly` is right only if Discard is set.
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
        // Foundation looks only whether these two keys are there, not at their values.
        if isSecure {
            properties[.secure] = "TRUE"
        }
        if isHTTPOnly {
            properties[Self.httpOnly] = "TRUE"
        }
        return HTTPCookie(properties: properties)
    }
}
