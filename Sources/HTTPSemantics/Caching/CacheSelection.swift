import Foundation

/// What a request must have in common with the one an answer was made for.
///
/// These are the fields that Vary names (RFC 9111 section 4.1), and always the credential and
/// the cookies, so that an answer to one user never goes to another (section 3.5), and by what the
/// server was trusted, so that what one policy accepted never answers for a stricter one. Values
/// are kept as salted hashes: a file of the cache shows no password and no cookie.
struct CacheSelection: Hashable, Sendable, Codable {
    private struct Member: Hashable, Sendable, Codable {
        var name: String
        var digest: Data?
    }

    /// Each is compared with every request for the URL; no server means more than a few.
    static let mostNames = 32

    private static let credential = "authorization"
    /// What tells one user from another, whatever Vary says.
    private static let always = [credential, "cookie"]

    private let salt: Data
    private let members: [Member]
    private let audience: Data?
    /// Whether the answer named a field; such an answer is preferred to one that did not.
    let hasVary: Bool
    /// Whether the answer depends on more than fields, or on too many; then it suits no request.
    let isNever: Bool

    init(of request: CacheRequest, vary fields: HeaderFields) {
        let varying = Set(fields.list(of: "Vary"))
        isNever = varying.contains("*") || varying.count > Self.mostNames
        let names = isNever ? [] : varying.subtracting(Self.always).sorted()
        let values = (Self.always + names).map { (name: $0, value: request.value(of: $0)) }
        // Where nothing is hashed, nothing needs a salt.
        let isHashing = request.audience != nil || values.contains { $0.value != nil }
        let salt = isHashing ? CacheDigest.sixteenRandomBytes() : Data()
        self.salt = salt
        hasVary = !varying.isEmpty
        audience = Self.digest(request.audience, salt)
        members = values.map { Member(name: $0.name, digest: Self.digest($0.value, salt)) }
    }

    /// Why the answer does not suit a request; nil when it does.
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
