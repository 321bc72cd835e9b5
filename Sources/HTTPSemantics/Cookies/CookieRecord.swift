import Foundation

/// A cookie as a file has it.
struct CookieRecord: Codable, Hashable {
    /// What makes one cookie replace another.
    struct Identity: Hashable {
        let name: String
        let domain: String
        let isHostOnly: Bool
        let path: String
    }

    var name: String
    var value: String
    var domain: String
    var isHostOnly: Bool
    var path: String
    var isSecure: Bool
    var isHTTPOnly: Bool
    var expires: Date
    var created: Date

    /// nil for a cookie of the session.
    init?(_ cookie: StoredCookie) {
        guard let expiry = cookie.expiry else { return nil }
        name = cookie.name
        value = cookie.value
        domain = cookie.host.text
        isHostOnly = cookie.identity.isHostOnly
        path = cookie.path
        isSecure = cookie.isSecure
        isHTTPOnly = cookie.isHTTPOnly
        expires = expiry
        created = cookie.creation
    }

    var identity: Identity {
        Identity(name: name, domain: domain, isHostOnly: isHostOnly, path: path)
    }

    /// Judged anew; nil for one that breaks the rules.
    var cookie: StoredCookie? {
        CanonicalHost(domain).flatMap {
            StoredCookie(
                name: name, value: value, host: $0, isHostOnly: isHostOnly, path: path,
                isSecure: isSecure, isHTTPOnly: isHTTPOnly, expiry: expires, creation: created)
        }
    }
}
