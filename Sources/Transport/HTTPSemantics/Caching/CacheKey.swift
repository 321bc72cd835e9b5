import Foundation

/// The URL that a response is stored under, hashed; the method is always GET (RFC 9111 section 2).
///
/// Scheme and host are in lower case. The port is always there, the scheme's default where the URL names
/// none. Fragment and user are left out. Path and query are unchanged, but an empty path is a slash.
struct CacheKey: Hashable, Sendable, Codable {
    let digest: Data

    init?(_ url: URL) {
        guard let text = Self.plain(url.absoluteString) ?? Self.normalized(url),
            let digest = FileSum.Kind.sha256.sum(of: Data(text.utf8))
        else { return nil }
        self.digest = digest
    }

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
        let host = rest.prefix { isSmallLetter($0) || $0.isASCIIDigit || ".-".utf8.contains($0) }
        let afterHost = rest[host.endIndex...]
        let port = afterHost.dropFirst().prefix(while: \.isASCIIDigit)
        let hasPort = afterHost.first == UInt8(ascii: ":")
        let target = hasPort ? rest[port.endIndex...] : afterHost
        // A label in punycode, xn--, has to be rewritten.
        let hasDashes = zip(host, host.dropFirst()).contains { $0 == dash && $1 == dash }
        guard !host.isEmpty, !hasDashes, target.first == UInt8(ascii: "/"),
            target.allSatisfy({
                $0.isASCIILetter || $0.isASCIIDigit || "-._~!$&'()*+,;=:@/?".utf8.contains($0)
            })
        else { return nil }
        if hasPort {
            let number = Int(Substring(port)) ?? 0
            return port.first != UInt8(ascii: "0") && (1...65_535).contains(number) ? url : nil
        }
        return url[..<host.endIndex] + (isSecure ? ":443" : ":80") + url[host.endIndex...]
    }

    private static func isSmallLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}

/// What a request must have in common with the request that a stored response answered.
///
/// These are the fields that Vary names (RFC 9111 section 4.1), and always the credential and the
/// cookies, so that a response to one user is never served to another (section 3.5). The `audience` is
/// compared too, so that a response accepted under one policy for server trust is not served under a
/// stricter one. Values are stored as salted hashes: a cache file
/// contains no password and no cookie.
struct VaryKey: Hashable, Sendable, Codable {
    private struct Member: Hashable, Sendable, Codable {
        var name: String
        var digest: Data?
    }

    /// Each name is compared for every request for the URL; real servers name few.
    static let mostNames = 32

    private static let credential = "authorization"
    /// The fields that identify a user, whatever Vary says.
    private static let always = [credential, "cookie"]

    private let salt: Data
    private let members: [Member]
    private let audience: Data?
    /// Whether the response had a Vary field; such a response is preferred to one without.
    let hasVary: Bool
    /// Whether the response depends on more than header fields, or on too many; then it matches no
    /// request.
    let isNever: Bool

    init(of request: CacheRequest, vary fields: HeaderFields) {
        let isTooLong = fields.isListTooLong("Vary")
        let varying = isTooLong ? ["*"] : Set(fields.list(of: "Vary"))
        isNever = varying.contains("*") || varying.count > Self.mostNames
        let names = isNever ? [] : varying.subtracting(Self.always).sorted()
        let values = (Self.always + names).map { (name: $0, value: request.value(of: $0)) }
        let isHashing = request.audience != nil || values.contains { $0.value != nil }
        let salt = isHashing ? Data.sixteenRandomBytes() : Data()
        self.salt = salt
        hasVary = !varying.isEmpty
        audience = Self.digest(request.audience, salt)
        members = values.map { Member(name: $0.name, digest: Self.digest($0.value, salt)) }
    }

    /// Why the response does not match a request; nil when it does.
    func mismatch(with request: CacheRequest) -> CacheReason? {
        if isNever { return .varies("*") }
        if audience != Self.digest(request.audience, salt) { return .otherTrust }
        let differing = members.first {
            $0.digest != Self.digest(request.value(of: $0.name), salt)
        }
        return differing.map {
            $0.name == Self.credential ? .otherCredential : .varies($0.name)
        }
    }

    private static func digest(_ value: String?, _ salt: Data) -> Data? {
        value.map { FileSum.Kind.sha256.sum(of: salt + Data($0.utf8)) ?? Data() }
    }
}
