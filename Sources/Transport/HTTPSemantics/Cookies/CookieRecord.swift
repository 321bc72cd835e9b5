import Foundation

/// A cookie as it is stored in a file.
struct CookieRecord: Codable, Hashable {
    /// What a new cookie must share with an old one to replace it.
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

    /// Nil for a session cookie.
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

    /// The cookie, validated again; nil where it is not valid.
    var cookie: StoredCookie? {
        CanonicalHost(domain).flatMap {
            StoredCookie(
                name: name, value: value, host: $0, isHostOnly: isHostOnly, path: path,
                isSecure: isSecure, isHTTPOnly: isHTTPOnly, expiry: expires, creation: created)
        }
    }
}
