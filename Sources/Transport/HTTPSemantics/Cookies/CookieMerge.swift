/// Merges the cookies of one storage into a file that other storages write too.
///
/// Three states are compared: the file as this storage last saw it, the file now, and the storage.
/// A change on one side is kept. Where both sides changed a cookie, the storage's change wins,
/// because it is written last.
struct CookieMerge {
    /// The file's new contents: the storage's cookies in their order, then the others.
    private(set) var merged: [StoredCookie] = []
    /// What other writers stored or replaced, and what they removed; the storage does the same.
    private(set) var stored: [StoredCookie] = []
    private(set) var removed: [StoredCookie] = []

    init(known: [StoredCookie], file: [StoredCookie], own: [StoredCookie]) {
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
        // A known cookie that is missing in the storage was removed by it, unless another writer
        // changed the cookie.
        for cookie in file
        where others[cookie.identity] == cookie && cookie != known[cookie.identity] {
            merged.append(cookie)
            stored.append(cookie)
        }
    }

    private static func byIdentity(
        _ cookies: [StoredCookie]
    ) -> [StoredCookie.Identity: StoredCookie] {
        Dictionary(cookies.map { ($0.identity, $0) }) { $1 }
    }
}
