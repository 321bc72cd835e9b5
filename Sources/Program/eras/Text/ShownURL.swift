import Foundation

/// A URL without its password, for output and files.
enum ShownURL {
    /// `http://me:secret@host/` becomes `http://me:***@host/`. The text need not be a URL.
    static func text(_ url: String) -> String {
        guard let slashes = url.range(of: "://") else { return url }
        let rest = url[slashes.upperBound...]
        let authority = rest[..<(rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex)]
        guard let at = authority.lastIndex(of: "@"),
            let colon = authority[..<at].firstIndex(of: ":")
        else { return url }
        return url[...colon] + "***" + url[at...]
    }
}
