public import Foundation
public import FoundationNetworking
import Locking

/// Stores cookies and decides which request carries which (RFC 6265, with the public suffix list).
///
/// A cookie reaches only the hosts and paths that its server may name, never a public suffix or
/// another site. Secure cookies are not sent in cleartext, and a cleartext response neither sets
/// nor replaces one. The prefixes `__Secure-` and `__Host-` are enforced (6265bis).
///
/// No server can fill the storage. It reads 50 fields of a response and 4,096 bytes of a cookie,
/// sends 8,190 bytes with a request, and stores 180 cookies of a site and 3,000 in all. Nothing is
/// written to disk unless a file is given. SameSite is ignored, because no request comes from a web
/// page.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the calling thread, to a
/// mirrored storage, without the lock.
public final class CookieStorage: Sendable {
    /// The storage of requests that configure no other; in memory only.
    public static let shared = CookieStorage()

    /// How many Set-Cookie fields of one response are read, and the most bytes of a Cookie field.
    package static let (fieldLimit, headerLimit) = (50, 8_190)

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

    /// An empty storage in memory.
    ///
    /// - Parameter clock: decides which cookies have expired when a program calls this storage; a
    ///   load uses its own clock (`URLConnectionConfiguration.clock`).
    public init(clock: NetworkClock = .system) {
        self.clock = clock
        file = nil
        mirror = nil
    }

    /// A storage that persists its cookies in a file (mode 0600), which is always replaced
    /// completely.
    ///
    /// Session cookies are never written. The storage writes soon after a change, on a queue of its
    /// own; `flush` waits for that. Several storages may share a file, also in several processes:
    /// when a storage writes, it also reads what the others stored and removed. Where two changed
    /// the same cookie, the last one to write wins. A storage that changes nothing does not see the
    /// others' changes.
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

    /// A storage that reads and writes its cookies in a Foundation storage, whose changes take
    /// effect here at once.
    ///
    /// The rules here decide what is sent: cookies in Foundation's storage that violate them stay
    /// there and are never sent. Foundation sets a new creation time whenever a cookie is set, so a
    /// replaced cookie counts as the youngest. Each request reads Foundation's whole storage.
    ///
    /// - Parameter storage: `HTTPCookieStorage.shared` writes to the user's disk on every change.
    public init(mirroring storage: HTTPCookieStorage) {
        clock = .system
        file = nil
        mirror = CookieMirror(storage: storage)
    }

    // MARK: The caller's side

    /// Which cookies of responses are stored; `.always` by default, or the mirrored storage's
    /// policy.
    ///
    /// `.onlyFromMainDocumentDomain` accepts cookies from the site of `URLRequest.mainDocumentURL`,
    /// and from every site where that is nil. Cookies that are already stored are sent with any
    /// policy, as in Foundation.
    public var cookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { mirror?.storage.cookieAcceptPolicy ?? state.withLock { $0.policy } }
        set {
            mirror?.storage.cookieAcceptPolicy = newValue
            state.withLock { $0.policy = newValue }
        }
    }

    /// All cookies that have not expired, oldest first.
    public var cookies: [HTTPCookie] {
        let now = clock.date
        return reading(at: now) { $0.all }.filter { !$0.isExpired(at: now) }
            .compactMap(\.httpCookie)
    }

    /// The cookies that a request for a URL carries, in their order (RFC 6265 section 5.4).
    public func cookies(for url: URL) -> [HTTPCookie] {
        matching(url, at: clock.date).compactMap(\.httpCookie)
    }

    /// Stores a cookie, replacing the one with its name, domain and path.
    ///
    /// A domain with a leading dot includes the hosts below it. A cookie that violates the rules
    /// (control bytes, size, prefixes) is not stored. A cookie for a public suffix is sent to that
    /// host only. The accept policy does not apply.
    public func setCookie(_ cookie: HTTPCookie) {
        setCookie(cookie, at: clock.date)
    }

    package func setCookie(_ cookie: HTTPCookie, at now: Date) {
        guard let stored = StoredCookie(cookie, madeAt: now) else { return }
        changing(at: now) { $0.insert(stored, at: now) }
    }

    /// Removes the cookie with this one's name, domain and path, if there is one.
    public func deleteCookie(_ cookie: HTTPCookie) {
        let now = clock.date
        guard let stored = StoredCookie(cookie, madeAt: now) else { return }
        changing(at: now) { $0.remove(stored.identity) }
    }

    /// Removes the cookies created after a date; a cookie that was replaced keeps its creation
    /// time.
    public func removeCookies(since date: Date) {
        changing(at: clock.date) { $0.removeAll { $0.creation > date } }
    }

    /// Removes all cookies.
    public func removeAll() {
        changing(at: clock.date) { $0.removeAll { _ in true } }
    }

    /// Waits until all changes made before are in the file; without a file it does nothing.
    ///
    /// - Throws: `CookieStorageError` when they cannot be written.
    public func flush() throws {
        try file?.queue.sync { try writeNow() }
    }

    // MARK: The connection's side

    /// The value of the Cookie field for a request; nil where no cookie matches (section 5.4).
    ///
    /// Cookies are left out from the first one that does not fit into 8,190 bytes.
    package func cookieHeader(for url: URL, at now: Date) -> String? {
        var header = ""
        for cookie in matching(url, at: now) {
            let pair = (header.isEmpty ? "" : "; ") + cookie.name + "=" + cookie.value
            guard header.utf8.count + pair.utf8.count <= Self.headerLimit else { break }
            header += pair
        }
        return header.isEmpty ? nil : header
    }

    /// Stores and removes cookies as a response's Set-Cookie fields say.
    ///
    /// - Parameters:
    ///   - fields: the values of the response's Set-Cookie fields, one by one, in their order.
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

    // MARK: The jar

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
            // A failed write is repeated at the next change; `flush` throws its error.
            file?.queue.async { try? self.writeNow() }
        }
    }

    /// Runs on the file's queue.
    private func writeNow() throws {
        let (cookies, now) = state.withLock {
            $0.isWriteDue = false
            return ($0.jar.all, $0.lastChange)
        }
        guard let merge = try file?.write(cookies, at: now) else { return }
        state.withLock { state in
            // A cookie that changed here meanwhile is written next time.
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
    /// Names and domains of the cookies, without their values.
    public var customMirror: Mirror {
        let shown = cookies.map { "\($0.name) for \($0.domain)".printable }
        return Mirror(self, children: ["cookies": shown], displayStyle: .class)
    }
}
