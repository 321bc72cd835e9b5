import Foundation

/// What a request must have in common with the request that a stored response answered.
///
/// These are the fields that Vary names (RFC 9111 section 4.1), and always the credential and the
/// cookies, so that a response to one user is never served to another (section 3.5). The
/// requirements on the server's certificate are compared too, so that a response accepted under one
/// policy is not served under a stricter one. Values are stored as salted hashes: a cache file
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
        let salt = isHashing ? CacheDigest.sixteenRandomBytes() : Data()
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
        value.map { CacheDigest.sha256(salt, Data($0.utf8)) ?? Data() }
    }
}
