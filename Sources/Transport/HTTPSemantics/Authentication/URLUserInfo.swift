package import Foundation
package import FoundationNetworking

/// The user and password of a URL (RFC 3986 section 3.2.1).
package enum URLUserInfo {
    /// The credential in a URL, percent-decoded; nil when there is none.
    ///
    /// A missing password is the empty one. Text that does not decode to UTF-8 stays
    /// percent-encoded. The credential is for this one load, so its persistence is `.none`.
    package static func credential(in url: URL) -> URLCredential? {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        let user = parts.percentEncodedUser ?? ""
        let password = parts.percentEncodedPassword ?? ""
        guard !user.isEmpty || !password.isEmpty else { return nil }
        return URLCredential(
            user: user.removingPercentEncoding ?? user,
            password: password.removingPercentEncoding ?? password, persistence: .none)
    }

    /// The URL without user and password; nil where Foundation cannot write it, which happens only
    /// to a URL that had them.
    package static func removed(from url: URL) -> URL? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return url.user() == nil && url.password() == nil ? url : nil
        }
        guard parts.percentEncodedUser != nil || parts.percentEncodedPassword != nil else {
            return url
        }
        parts.percentEncodedUser = nil
        parts.percentEncodedPassword = nil
        return parts.url
    }
}
