import Foundation
import FoundationNetworking

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
