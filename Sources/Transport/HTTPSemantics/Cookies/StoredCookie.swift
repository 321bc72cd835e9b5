import Foundation
import FoundationNetworking

/// A cookie that may be in a store (RFC 6265 section 5.3).
struct StoredCookie: Hashable, Sendable {
    /// What a new cookie must share with an old one to replace it.
    ///
    /// Host-only cookies are apart from the others, as in browsers and 6265bis, so that a subdomain
    /// cannot replace the host-only cookies of its parent.
    struct Identity: Hashable, Sendable {
        let name: String
        let host: CanonicalHost
        let isHostOnly: Bool
        let path: String
    }

    let identity: Identity
    let value: String
    let isSecure: Bool
    let isHTTPOnly: Bool
    /// Nil for a session cookie.
    let expiry: Date?
    var creation: Date
    var lastAccess: Date

    /// Compares everything but `lastAccess`: a use does not make a cookie another one.
    static func == (one: StoredCookie, other: StoredCookie) -> Bool {
        (one.identity, one.value, one.isSecure, one.isHTTPOnly, one.expiry, one.creation)
            == (
                other.identity, other.value, other.isSecure, other.isHTTPOnly, other.expiry,
                other.creation
            )
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
        hasher.combine(value)
    }

    var name: String { identity.name }
    var host: CanonicalHost { identity.host }
    var path: String { identity.path }

    /// Validates everything about a cookie that does not depend on its sender.
    ///
    /// A cookie for a public suffix or an address is sent to this one host only (sections 5.3 step 5
    /// and 5.1.3).
    ///
    /// - Returns: nil for a name, value or path that is too long (`SetCookieField.sizeLimit`), or
    ///   would break the field or change its meaning. Nil also for a name whose prefix requires what
    ///   the cookie does not have (6265bis section 4.1.3).
    init?(
        name: String, value: String, host: CanonicalHost, isHostOnly: Bool, path: String,
        isSecure: Bool, isHTTPOnly: Bool, expiry: Date?, creation: Date
    ) {
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= SetCookieField.sizeLimit,
            path.utf8.first == UInt8(ascii: "/"),
            path.utf8.count <= SetCookieField.sizeLimit,
            !name.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ";") }),
            !value.utf8.contains(UInt8(ascii: ";")),
            [name, value, path].allSatisfy(RequestField.isValue)
        else { return nil }
        let start = name.lowercased().utf8
        let isHostPrefixed = start.starts(with: "__host-".utf8)
        guard isSecure || !(isHostPrefixed || start.starts(with: "__secure-".utf8)),
            (isHostOnly && path == "/") || !isHostPrefixed
        else { return nil }
        identity = Identity(
            name: name, host: host,
            isHostOnly: isHostOnly || host.isAddress
                || PublicSuffixList.isPublicSuffix(host.text), path: path)
        self.value = value
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.expiry = expiry
        self.creation = creation
        lastAccess = creation
    }

    /// A cookie from a response's Set-Cookie field (section 5.3).
    ///
    /// - Returns: nil also where the host does not lie in the domain, where the domain is a public
    ///   suffix other than the host itself, and for Secure in a cleartext response.
    init?(_ field: SetCookieField, from origin: CookieOrigin, at now: Date) {
        var host = origin.host
        if let domain = field.domain, !domain.isEmpty {
            guard let named = CanonicalHost(domain), origin.host.isWithin(named),
                named == origin.host || !PublicSuffixList.isPublicSuffix(named.text)
            else { return nil }
            host = named
        }
        guard origin.isSecure || !field.isSecure else { return nil }
        self.init(
            name: field.name, value: field.value, host: host,
            isHostOnly: field.domain?.isEmpty != false,
            path: field.path ?? origin.defaultPath, isSecure: field.isSecure,
            isHTTPOnly: field.isHTTPOnly, expiry: Self.expiry(of: field, at: now), creation: now)
    }

    /// Step 3: Max-Age takes precedence over Expires.
    private static func expiry(of field: SetCookieField, at now: Date) -> Date? {
        guard let maxAge = field.maxAge else { return field.expires }
        guard maxAge > 0 else { return .distantPast }
        return min(now.addingTimeInterval(TimeInterval(maxAge)), .distantFuture)
    }

    func isExpired(at now: Date) -> Bool {
        expiry.map { $0 <= now } ?? false
    }

    /// Section 5.4 step 1 for HTTP requests; an expired cookie never matches.
    func matches(_ origin: CookieOrigin, at now: Date) -> Bool {
        (identity.isHostOnly ? origin.host == host : origin.host.isWithin(host))
            && CookieOrigin.path(origin.path, matches: path) && (origin.isSecure || !isSecure)
            && !isExpired(at: now)
    }
}

extension StoredCookie {
    private static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
    private static let created = HTTPCookiePropertyKey("Created")

    /// A caller's cookie, under the rules for a server's except those about who has sent it.
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

    /// When the object was made. Foundation stores neither the cookie's first creation nor its last use.
    static func creation(of cookie: HTTPCookie) -> Date? {
        (cookie.properties?[created] as? Double).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// Discard is set because Foundation calls a cookie without an expiry `isSessionOnly` only then.
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
        // For Secure, Foundation takes any text that is not empty; for HttpOnly, only TRUE.
        if isSecure {
            properties[.secure] = "TRUE"
        }
        if isHTTPOnly {
            properties[Self.httpOnly] = "TRUE"
        }
        return HTTPCookie(properties: properties)
    }
}
