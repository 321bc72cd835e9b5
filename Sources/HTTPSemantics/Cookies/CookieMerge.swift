/// Pure: one file of cookies, when several storages write it.
///
/// Three states tell who changed what: the file as this storage last knew it, as it is now, and what
/// the storage has. What only one side changed is taken over; what both changed is the storage's, which
/// writes last.
struct CookieMerge {
    /// What the file is to hold, in the storage's order, others behind.
    private(set) var merged: [CookieRecord] = []
    /// What others stored or replaced, and what they removed: the storage's from now on.
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
        // What is known and not the storage's any more was removed here, unless it was changed there.
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
