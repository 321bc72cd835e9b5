import Foundation

/// The parts of a request's URL that decide which cookies it carries and may set.
struct CookieOrigin {
    let host: CanonicalHost
    /// The path as it is sent: escaped, without dot segments and query.
    let path: String
    /// True for https only; cleartext to the local machine is not secure either.
    let isSecure: Bool

    /// - Returns: nil for a URL that is neither http nor https.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = CanonicalHost(of: url)
        else { return nil }
        self.host = host
        isSecure = scheme == "https"
        path = url.absoluteURL.standardized.path(percentEncoded: true)
    }

    /// RFC 6265 section 5.1.4: the path up to its last slash.
    var defaultPath: String {
        guard path.utf8.first == UInt8(ascii: "/"),
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// RFC 6265 section 5.1.4.
    static func path(_ path: String, matches cookiePath: String) -> Bool {
        let path = path.isEmpty ? "/" : path
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let rest = path.utf8.dropFirst(cookiePath.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
            || cookiePath.utf8.last == UInt8(ascii: "/")
    }
}
