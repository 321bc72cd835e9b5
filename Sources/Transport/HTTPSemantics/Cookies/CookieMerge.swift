/// Pure: what a file of cookies holds after one of several storages wrote to it.
///
/// It compares three states: the file as this storage last knew it, the file as it is now, and what
/// the storage has. A change that only one side made is taken over. Where both changed a cookie,
/// the storage's change wins, because the storage writes last.
struct CookieMerge {
    /// What the file is to hold: the storage's cookies in their order, then the others.
    private(set) var merged: [CookieRecord] = []
    /// What other writers stored or replaced, and what they removed; the storage takes both over.
    private(set) var stored: [CookieRecord] = []
    private(set) var removed: [CookieRecord] = []

    init(known: [CookieRecord], file: [CookieRecord], own: [CookieRecord]) {
        let known = Self.byIdentity(known)
        var others = Self.byIdentity(file)
        for cookie in own {
            let before = known[cookie.identity]
            let theirs = others.removeValue(forKey: cookie.identity)
            if cookie != before || theirs == cookie {
                merged.append(cookie)
            } else if let theirs {
                merged.append(theirs)
                stored.append(theirs)
            } else {
                removed.append(cookie)
            }
        }
        // A known cookie that the storage no longer has was removed here, unless another writer
        // changed it.
        for cookie in file
        where others[cookie.identity] == cookie && cookie != known[cookie.identity] {
            merged.append(cookie)
            stored.append(cookie)
        }
    }

    private static func byIdentity(
        _ cookies: [CookieRecord]
    ) -> [CookieRecord.Identity: CookieRecord] {
        Dictionary(cookies.map { ($0.identity, $0) }) { $1 }
    }
}
