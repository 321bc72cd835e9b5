public import Foundation
public import FoundationNetworking
import Locking

/// Stores cookies, and decides which of them a request has (RFC 6265, with the public suffix list).
///
/// A cookie is sent only to hosts and paths for which its server may set one, never to all hosts of a public suffix or
/// to another site. Secure cookies are sent only by https, and a response to an http request neither sets nor replaces
/// one. The prefixes `__Secure-` and `__Host-` are enforced (RFC 6265bis).
///
/// Limits protect the storage against servers. It reads 50 Set-Cookie fields of a response, and ignores a cookie of
/// more than 4,096 bytes. It sends at most 8,190 bytes with a request, and stores 180 cookies of a site and 3,000 in
/// total. It writes to the disk only if it was made with a file. SameSite is ignored, because no request is made by a
/// web page.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the calling thread, to a mirrored `HTTPCookieStorage`,
/// not under the lock.
public final class CookieStorage: Sendable {
    /// The storage of requests whose configuration has no other. It is in memory only.
    public static let shared = CookieStorage()

    /// The most Set-Cookie fields that are read of a response, and the most bytes of a Cookie field.
    private static let (fieldLimit, headerLimit) = (50, 8_190)

    private struct State {
        var jar = CookieJar()
        var policy = HTTPCookie.AcceptPolicy.always
        var isWriteDue = false
        var lastChange = Date.distantPast
    }

    private let clock: NetworkClock
    private let file: CookieFile?
    private let mirror: CookieMirror?
    private let state = Locked(State())

    /// Makes an empty storage in memory.
    ///
    /// - Parameter clock: decides whether a cookie has expired when the caller reads the storage. A load uses the clock of its
    ///   configuration (`URLConnectionConfiguration.clock`).
    public init(clock: NetworkClock = .system) {
        self.clock = clock
        file = nil
        mirror = nil
    }

    /// Makes a storage that writes its cookies to a file (mode 0600). A new file replaces the old one with each write.
    ///
    /// Session cookies are never written. The storage writes soon after a change, on a queue of its own; `flush` waits for
    /// that. Several storages can share a file, also in different processes: when a storage writes, it also reads what the
    /// others have stored and removed. If two storages have changed the same cookie, the change that is written last is
    /// kept. A storage without changes does not notice those of the others.
    public convenience init(file: URL, clock: NetworkClock = .system) throws {
        try self.init(file: file, at: clock.date, clock: clock)
    }

    package init(file: URL, at now: Date, clock: NetworkClock = .system) throws {
        let folder = file.deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw CookieStorageError(code: .unwritable, file: file, reason: "its folder is missing")
        }
        let file = CookieFile(file)
        let stored = try file.read(at: now)
        state.withLock { state in stored.forEach { state.jar.insert($0, at: now) } }
        self.clock = clock
        self.file = file
        mirror = nil
    }

    /// Makes a storage that reads and writes the cookies of a Foundation storage. A change there takes effect here at once.
    ///
    /// Cookies in Foundation's storage that violate the rules of this class stay there and are never sent. Foundation sets a
    /// new creation time when a cookie is replaced, so that such a cookie is sent last. Each request reads all cookies of
    /// Foundation's storage.
    ///
    /// - Parameter storage: note that `HTTPCookieStorage.shared` writes to the user's disk with each change.
    public init(mirroring storage: HTTPCookieStorage) {
        clock = .system
        file = nil
        mirror = CookieMirror(storage: storage)
    }

    // MARK: For callers

    /// Which cookies of responses are stored: `.always` by default, or the policy of the mirrored storage.
    ///
    /// `.onlyFromMainDocumentDomain` accepts cookies from the site of `URLRequest.mainDocumentURL`, or from every site if
    /// that is nil. Cookies that are already stored are sent with any policy, as in Foundation.
    public var cookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { mirror?.storage.cookieAcceptPolicy ?? state.withLock { $0.policy } }
        set {
            mirror?.storage.cookieAcceptPolicy = newValue
            state.withLock { $0.policy = newValue }
        }
    }

    /// All cookies that have not expired, in the order of their creation.
    public var cookies: [HTTPCookie] {
        let now = clock.date
        return reading(at: now) { $0.all }.filter { !$0.isExpired(at: now) }
            .compactMap(\.httpCookie)
    }

    /// Returns the cookies that a request for a URL would have, in the order of RFC 6265 section 5.4.
    public func cookies(for url: URL) -> [HTTPCookie] {
        matching(url, at: clock.date).compactMap(\.httpCookie)
    }

    /// Stores a cookie. It replaces a stored one with the same name, domain and path.
    ///
    /// A domain with a leading dot includes its subdomains. A cookie with control characters, one that is too large, and one
    /// that violates the rule of its prefix are not stored. A cookie whose domain is a public suffix is sent only to that
    /// host. The accept policy does not apply.
    public func setCookie(_ cookie: HTTPCookie) {
        setCookie(cookie, at: clock.date)
    }

    package func setCookie(_ cookie: HTTPCookie, at now: Date) {
        guard let stored = StoredCookie(cookie, madeAt: now) else { return }
        changing(at: now) { $0.insert(stored, at: now) }
    }

    /// Removes the stored cookie with the same name, domain and path, if there is one.
    public func deleteCookie(_ cookie: HTTPCookie) {
        let now = clock.date
        guard let stored = StoredCookie(cookie, madeAt: now) else { return }
        changing(at: now) { $0.remove(stored.identity) }
    }

    /// Removes the cookies that were created after a date. Replacing a cookie does not change its creation time.
    public func removeCookies(since date: Date) {
        changing(at: clock.date) { $0.removeAll { $0.creation > date } }
    }

    /// Removes all cookies.
    public func removeAll() {
        changing(at: clock.date) { $0.removeAll { _ in true } }
    }

    /// Waits until all changes made before this call are written to the file. Without a file it does nothing.
    ///
    /// - Throws: `CookieStorageError` if they cannot be written.
    public func flush() throws {
        try file?.queue.sync { try writeNow() }
    }

    // MARK: For loads

    /// Returns the value of the Cookie field for a request (RFC 6265 section 5.4); nil if it has no cookies.
    ///
    /// If the field would have more than 8,190 bytes, it has only the first cookies.
    package func cookieHeader(for url: URL, at now: Date) -> String? {
        var header = ""
        for cookie in matching(url, at: now) {
            let pair = (header.isEmpty ? "" : "; ") + cookie.name + "=" + cookie.value
            guard header.utf8.count + pair.utf8.count <= Self.headerLimit else { break }
            header += pair
        }
        return header.isEmpty ? nil : header
    }

    /// Stores and removes cookies, according to the Set-Cookie fields of a response.
    ///
    /// - Parameters:
    ///   - fields: the values of the response's Set-Cookie fields, in order.
    ///   - url: the request's URL.
    ///   - mainDocument: the request's `mainDocumentURL`.
    package func store(
        setCookieFields fields: [String], from url: URL, mainDocument: URL? = nil, at now: Date
    ) {
        guard !fields.isEmpty, let origin = CookieOrigin(url),
            accepts(origin, mainDocument: mainDocument)
        else { return }
        let new = fields.prefix(Self.fieldLimit).compactMap(SetCookieField.init).compactMap {
            StoredCookie($0, from: origin, at: now)
        }
        guard !new.isEmpty else { return }
        changing(at: now) { jar in
            for cookie in new
            where origin.isSecure || !jar.hasSecureCookie(hiddenBy: cookie, at: now) {
                jar.insert(cookie, at: now)
            }
        }
    }

    private func accepts(_ origin: CookieOrigin, mainDocument: URL?) -> Bool {
        switch cookieAcceptPolicy {
        case .always: return true
        case .onlyFromMainDocumentDomain:
            guard let mainDocument else { return true }
            return CanonicalHost(of: mainDocument)?.site == origin.host.site
        case .never: return false
        @unknown default: return false
        }
    }

    private func matching(_ url: URL, at now: Date) -> [StoredCookie] {
        reading(at: now) { jar in
            guard !jar.isEmpty, let origin = CookieOrigin(url) else { return [] }
            return jar.cookies(for: origin, at: now)
        }
    }

    // MARK: The stored cookies

    private func reading<Result>(at now: Date, _ body: (inout CookieJar) -> Result) -> Result {
        mirror?.reading(at: now, body) ?? state.withLock { body(&$0.jar) }
    }

    private func changing(at now: Date, _ body: (inout CookieJar) -> Void) {
        if let mirror {
            return mirror.changing(at: now, body)
        }
        let isWriteNew = state.withLock { state in
            body(&state.jar)
            state.lastChange = now
            defer { state.isWriteDue = file != nil }
            return !state.isWriteDue
        }
        if isWriteNew {
            // If writing fails, the next change tries again, and `flush` throws the error.
            file?.queue.async { try? self.writeNow() }
        }
    }

    /// To be called on the queue of the file.
    private func writeNow() throws {
        let (cookies, now) = state.withLock {
            $0.isWriteDue = false
            return ($0.jar.all, $0.lastChange)
        }
        guard let merge = try file?.write(cookies, at: now) else { return }
        state.withLock { state in
            // A cookie that was changed in the meantime is written the next time.
            for cookie in merge.removed where state.jar.cookie(cookie.identity) == cookie {
                state.jar.remove(cookie.identity)
            }
            let before = Dictionary(
                cookies.map { ($0.identity, $0) }, uniquingKeysWith: { $1 })
            for cookie in merge.stored
            where state.jar.cookie(cookie.identity) == before[cookie.identity] {
                state.jar.adopt(cookie, at: now)
            }
        }
    }
}

extension CookieStorage: CustomReflectable {
    /// The names and domains of the cookies, without their values, which may be secrets.
    public var customMirror: Mirror {
        let shown = cookies.map { "\($0.name) for \($0.domain)".printable }
        return Mirror(self, children: ["cookies": shown], displayStyle: .class)
    }
}
