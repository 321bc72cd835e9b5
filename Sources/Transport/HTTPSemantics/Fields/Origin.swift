package import Foundation

/// Scheme, host and port of an http or https URL: the scope of a credential (RFC 6454; RFC 9110
/// section 4.3.1).
///
/// Scheme and host are in lower case; the port is the scheme's default where the URL names none.
/// Checks about credentials, certificates and stored responses compare origins, never URL texts.
package struct Origin: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// As in the URL, percent-encoded, in lower case.
    package let host: String
    package let port: Int

    /// - Returns: nil for a URL that is neither http nor https, or names no host.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let standard = Self.port(of: scheme),
            let host = url.host()?.lowercased(), !host.isEmpty
        else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host, url.port ?? standard)
    }

    /// The default port of a scheme; nil for a scheme other than http and https.
    package static func port(of scheme: String) -> Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    /// Whether two URLs have the same origin; false where one has none.
    package static func isSame(_ one: URL?, _ other: URL?) -> Bool {
        guard let one = one.flatMap(Origin.init), let other = other.flatMap(Origin.init) else {
            return false
        }
        return one == other
    }
}

extension Origin: CustomStringConvertible {
    /// `https://example.org:443`.
    package var description: String { "\(scheme)://\(host):\(port)" }
}
