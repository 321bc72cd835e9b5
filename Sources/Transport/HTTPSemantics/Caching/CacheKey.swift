import Foundation
import Locking

/// The URL that a response is stored under, hashed; the method is always GET (RFC 9111 section 2).
///
/// Scheme and host are in lower case. The scheme's default port, the fragment and the user are left
/// out; path and query are unchanged.
struct CacheKey: Hashable, Sendable, Codable {
    let digest: Data

    init?(_ url: URL) {
        let address = url.absoluteString
        // To Swift different bytes can be equal texts, but not where both texts are ASCII.
        let isKept =
            address.utf8.count <= Self.longest && address.utf8.allSatisfy { $0 < 0x80 }
        if isKept, let known = Self.latest.withLock({ $0.use(address) }) {
            digest = known
            return
        }
        guard let text = Self.plain(address) ?? Self.normalized(url),
            let digest = CacheDigest.sha256(Data(text.utf8))
        else { return nil }
        self.digest = digest
        if isKept { Self.latest.withLock { $0.set(digest, for: address) } }
    }

    /// The digests of the most recent URLs: a load needs its own two or three times.
    private static let latest = Locked(RecentTable<String, Data>(limit: 128))
    /// Longer URLs are not kept, in bytes.
    private static let longest = 1024

    private static func normalized(_ url: URL) -> String? {
        guard let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true),
            let origin = Origin(url.absoluteURL)
        else { return nil }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        return origin.description + path + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// The key made directly from the bytes, for a URL that needs no normalization; nil for others.
    private static func plain(_ url: String) -> String? {
        let dash = UInt8(ascii: "-")
        let isSecure = url.utf8.starts(with: "https://".utf8)
        guard isSecure || url.utf8.starts(with: "http://".utf8) else { return nil }
        let rest = url.utf8.dropFirst(isSecure ? 8 : 7)
        let host = rest.prefix { isLetter($0) || isDigit($0) || ".-".utf8.contains($0) }
        let afterHost = rest[host.endIndex...]
        let port = afterHost.dropFirst().prefix(while: isDigit)
        let hasPort = afterHost.first == UInt8(ascii: ":")
        let target = hasPort ? rest[port.endIndex...] : afterHost
        // A label in punycode, xn--, has to be rewritten.
        let hasDashes = zip(host, host.dropFirst()).contains { $0 == dash && $1 == dash }
        guard !host.isEmpty, !hasDashes, target.first == UInt8(ascii: "/"),
            target.allSatisfy({
                isLetter($0 | 0x20) || isDigit($0) || "-._~!$&'()*+,;=:@/?".utf8.contains($0)
            })
        else { return nil }
        if hasPort {
            let number = Int(Substring(port)) ?? 0
            return port.first != UInt8(ascii: "0") && (1...65_535).contains(number) ? url : nil
        }
        return url[..<host.endIndex] + (isSecure ? ":443" : ":80") + url[host.endIndex...]
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func isHTTP(_ url: URL) -> Bool {
        Origin(url) != nil
    }
}
