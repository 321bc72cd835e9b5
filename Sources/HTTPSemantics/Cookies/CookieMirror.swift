import Foundation
import FoundationNetworking

/// A jar whose cookies lie in a storage of Foundation's, read anew each time.
///
/// Foundation's storage alone is the truth, so no lock is needed and none is held while it, which
/// may be a caller's subclass, is called.
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
            // The original, since its domain may be spelled in another way than ours.
            originals[gone.identity]?.forEach(storage.deleteCookie)
        }
        let kept = Set(before)
        after.filter { !kept.contains($0) }.compactMap(\.httpCookie).forEach(storage.setCookie)
    }

    private typealias Originals = [StoredCookie.Identity: [HTTPCookie]]

    /// The storage's cookies as far as they keep the rules and are alive.
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
