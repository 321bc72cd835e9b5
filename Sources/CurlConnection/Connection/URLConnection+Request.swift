import Foundation
import FoundationNetworking
import HTTPSemantics

// What of a request goes out, and through which proxy.

extension URLConnection {
    func fields(
        of wire: URLRequest, isLoginCarriedOut: Bool
    ) -> HeaderFields {
        let all = wire.allHTTPHeaderFields ?? [:]
        let authorization = authentication.authorization
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(all.count + caching.conditions.count + 2)
        for (name, value) in all {
            if Self.notForTheWire.contains(where: { name.isSameField(as: $0) }) { continue }
            fields.append((name, value))
        }
        if isLoginCarriedOut || authorization != nil {
            fields.removeAll { $0.name.isSameField(as: "Authorization") }
        }
        if let authorization {
            fields.append(("Authorization", authorization))
        }
        fields.sort { $0.name < $1.name }
        var list = HeaderFields(fields)
        list += caching.conditions
        return list
    }

    private static let notForTheWire = [
        // libcurl frames the body (`RequestBody`), and writes the first two itself.
        "Content-Length", "Transfer-Encoding", "Proxy-Authorization", "Proxy-Connection",
    ]

    func proxy(for url: URL) throws(URLError) -> Proxy? {
        do {
            return try configuration.proxy.proxy(for: url)
        } catch {
            throw URLError(
                .cannotConnectToHost, url: url, text: error.errorDescription, underlying: error)
        }
    }

    /// The URL without fragment, user and password; nil where it has none of them.
    static func forTheWire(_ url: URL) -> URL? {
        // Searching the text is faster than asking for each part.
        let mark = url.absoluteString.utf8.first {
            $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@")
        }
        guard mark != nil,
            url.fragment != nil || url.user != nil || url.password != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        parts.percentEncodedFragment = nil
        parts.percentEncodedUser = nil
        parts.percentEncodedPassword = nil
        return parts.url ?? url
    }
}
