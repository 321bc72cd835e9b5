import Foundation

/// The URL an answer is stored under, hashed; the method is always GET (RFC 9111 section 2).
///
/// Scheme and host in lower case, without the scheme's own port, the fragment and the user; path
/// and query as they are.
struct CacheKey: Hashable, Sendable, Codable {
    let digest: Data

    init?(_ url: URL) {
        guard let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true),
            let origin = Self.origin(of: parts)
        else { return nil }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        let query = parts.percentEncodedQuery.map { "?" + $0 } ?? ""
        guard let digest = CacheDigest.sha256(Data((origin + path + query).utf8)) else {
            return nil
        }
        self.digest = digest
    }

    /// Whether there is a key for it.
    static func isHTTP(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host()?.isEmpty == false
    }

    /// Scheme, host and port; nil for what is neither http nor https.
    static func origin(of url: URL) -> String? {
        URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true).flatMap(origin)
    }

    private static func origin(of parts: URLComponents) -> String? {
        let ports = ["http": 80, "https": 443]
        guard let scheme = parts.scheme?.lowercased(), let standard = ports[scheme],
            let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty
        else { return nil }
        return "\(scheme)://\(host):\(parts.port ?? standard)"
    }
}
