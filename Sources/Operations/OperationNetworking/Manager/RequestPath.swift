import EventRecorder
package import Foundation
import FoundationNetworking
import HTTPSemantics

/// Pure: the URL of a request from a manager's base and a path (MG-1, MG-2; RFC 3986 section 5).
package enum RequestPath {
    /// The base with a slash at the end of its path, unless the path is empty or the URL ends in
    /// one (MG-1).
    package static func normalized(_ base: URL) -> URL {
        base.path.isEmpty || base.absoluteString.hasSuffix("/")
            ? base : base.appendingPathComponent("")
    }

    /// A path resolved against a base, as a string.
    ///
    /// - Throws: `RequestSerializationError` for a path that is no URL: one with a space, a
    ///   character beyond ASCII or a `%` without two digits. Escape it first; the original stopped
    ///   the program (wound 38).
    package static func resolve(_ path: String, against base: URL?) throws -> String {
        // Foundation on Linux resolves neither of these two; they mean the base itself.
        if let base, path.isEmpty || path == "//" { return base.absoluteString }
        let alone = try RequestURL.url(path)
        guard let base else { return alone.absoluteString }
        // What `alone` had to escape is escaped already.
        guard let url = WrittenURL.url(alone.absoluteString, relativeTo: base) else {
            throw RequestSerializationError(.badURL, "'\(Redaction.text(path))' is no URL")
        }
        return url.absoluteString
    }
}
