import Foundation
import FoundationNetworking

/// Cookies in the order of their creation, limited for each site and in total.
struct CookieJar {
    /// How many cookies a registrable domain may have, and all together; 6265bis section 6.1 asks
    /// for at least 50 and 3,000.
    static let (siteLimit, totalLimit) = (180, 3_000)

    private var sites: [String: [StoredCookie]] = [:]
    private var count = 0

    var isEmpty: Bool { sites.isEmpty }

    /// All cookies, oldest first.
    var all: [StoredCookie] {
        sites.sorted { $0.key < $1.key }.flatMap(\.value).sorted { $0.creation < $1.creation }
    }

    /// Section 5.3 steps 11 and 12: replaces the cookie of the same identity and keeps its creation
    /// time. An expired cookie only removes the old one.
    ///
    /// Beyond the limits, expired cookies are removed first; then, within a site, cookies without
    /// Secure, and then the least recently used; then, of all sites, the least recently used.
    mutating func insert(_ new: StoredCookie, at now: Date) {
        guard !new.isExpired(at: now) else {
            remove(new.identity)
            return
        }
        let site = new.host.site
        if let index = index(of: new.identity, in: site), let old = sites[site]?[index] {
            var cookie = new
            cookie.creation = old.creation
            sites[site]?[index] = cookie
            return
        }
        sites[site, default: []].append(new)
        count += 1
        evict(in: site, at: now)
    }

    func cookie(_ identity: StoredCookie.Identity) -> StoredCookie? {
        let site = identity.host.site
        return index(of: identity, in: site).flatMap { sites[site]?[$0] }
    }

    /// Stores another storage's cookie unchanged, replacing the one with the same identity.
    mutating func adopt(_ cookie: StoredCookie, at now: Date) {
        remove(cookie.identity)
        guard !cookie.isExpired(at: now) else { return }
        let site = cookie.host.site
        var cookies = sites[site, default: []]
        let index = cookies.firstIndex { $0.creation > cookie.creation } ?? cookies.endIndex
        cookies.insert(cookie, at: index)
        sites[site] = cookies
        count += 1
        evict(in: site, at: now)
    }

    mutating func remove(_ identity: StoredCookie.Identity) {
        let site = identity.host.site
        if let index = index(of: identity, in: site) {
            remove(at: index, of: site)
        }
    }

    mutating func removeAll(where isUnwanted: (StoredCookie) -> Bool) {
        sites = sites.mapValues { $0.filter { !isUnwanted($0) } }.filter { !$0.value.isEmpty }
        count = sites.values.reduce(0) { $0 + $1.count }
    }

    /// Section 5.4: the cookies that an origin gets, longer paths first, then older cookies.
    mutating func cookies(for origin: CookieOrigin, at now: Date) -> [StoredCookie] {
        let site = origin.host.site
        var found: [StoredCookie] = []
        for index in sites[site, default: []].indices {
            guard var cookie = sites[site]?[index], cookie.matches(origin, at: now) else {
                continue
            }
            cookie.lastAccess = now
            sites[site]?[index] = cookie
            found.append(cookie)
        }
        // The cookies of a site are in the order of their creation.
        return found.sorted { $0.path.utf8.count > $1.path.utf8.count }
    }

    /// Whether a cookie from a cleartext response would be sent before a Secure cookie that it must
    /// not hide (6265bis section 5.7).
    func hasSecureCookie(hiddenBy new: StoredCookie, at now: Date) -> Bool {
        sites[new.host.site, default: []].contains { old in
            old.isSecure && old.name == new.name && !old.isExpired(at: now)
                && (old.host.isWithin(new.host) || new.host.isWithin(old.host))
                && CookieOrigin.path(new.path, matches: old.path)
        }
    }

    // MARK: Evicting

    private mutating func evict(in site: String, at now: Date) {
        if sites[site, default: []].count > Self.siteLimit || count > Self.totalLimit {
            removeAll { $0.isExpired(at: now) }
        }
        while let cookies = sites[site], cookies.count > Self.siteLimit,
            let index = cookies.indices.min(by: { Self.isEvictedBefore(cookies[$0], cookies[$1]) })
        {
            remove(at: index, of: site)
        }
        while count > Self.totalLimit,
            let stalest = sites.values.joined().min(by: { $0.lastAccess < $1.lastAccess })
        {
            remove(stalest.identity)
        }
    }

    private static func isEvictedBefore(_ one: StoredCookie, _ other: StoredCookie) -> Bool {
        one.isSecure == other.isSecure ? one.lastAccess < other.lastAccess : other.isSecure
    }

    private func index(of identity: StoredCookie.Identity, in site: String) -> Int? {
        sites[site]?.firstIndex { $0.identity == identity }
    }

    private mutating func remove(at index: Int, of site: String) {
        sites[site]?.remove(at: index)
        if sites[site]?.isEmpty == true {
            sites[site] = nil
        }
        count -= 1
    }
}

/// A jar over a Foundation storage, which is read each time.
///
/// It has no state and no lock. The storage may be a caller's subclass, so it is called without a
/// lock.
struct CookieMirror {
    let storage: HTTPCookieStorage

    func reading<Result>(at now: Date, _ body: (inout CookieJar) -> Result) -> Result {
        var jar = image(at: now).jar
        return body(&jar)
    }

    func changing(at now: Date, _ body: (inout CookieJar) -> Void) {
        var (jar, originals) = image(at: now)
        let before = jar.all
        body(&jar)
        let after = jar.all
        for gone in Set(before).subtracting(after) {
            // Deletes the original object, since Foundation may spell its domain differently.
            originals[gone.identity]?.forEach(storage.deleteCookie)
        }
        let kept = Set(before)
        after.filter { !kept.contains($0) }.compactMap(\.httpCookie).forEach(storage.setCookie)
    }

    private typealias Originals = [StoredCookie.Identity: [HTTPCookie]]

    /// The storage's cookies that are valid here and have not expired.
    private func image(at now: Date) -> (jar: CookieJar, originals: Originals) {
        let alive = (storage.cookies ?? []).compactMap { original in
            StoredCookie(original, madeAt: StoredCookie.creation(of: original) ?? now).map {
                (original: original, cookie: $0)
            }
        }.filter { !$0.cookie.isExpired(at: now) }
        var jar = CookieJar()
        for cookie in alive.map(\.cookie).sorted(by: { $0.creation < $1.creation }) {
            jar.insert(cookie, at: now)
        }
        let originals = Dictionary(grouping: alive, by: \.cookie.identity)
        return (jar, originals.mapValues { $0.map(\.original) })
    }
}
