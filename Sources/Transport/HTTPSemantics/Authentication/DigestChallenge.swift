import Foundation
package import FoundationNetworking

/// A challenge of Digest authentication, which makes the `Authorization` fields for it (RFC 7616; without `qop` RFC 2069).
///
/// It counts the fields that it has made, because a server refuses a nonce count that was used before. The quality of
/// protection `auth-int` is not supported, since the body would have to be read before the request is sent.
package struct DigestChallenge: Sendable {
    /// The most bytes of a server's value that a request may have to repeat.
    private static let longestValue = 1_023

    /// The realm; nil if the challenge names none.
    package let realm: String?
    /// Whether the last request had the right password, and was refused only because its nonce had expired.
    package let isStale: Bool
    /// How many fields were made for this challenge.
    package private(set) var uses: UInt32 = 0

    private let nonce: String
    private let opaque: String?
    /// In the server's spelling.
    private let algorithm: String?
    private let hasQuality: Bool
    private let hidesUser: Bool
    /// The same for all requests, because the session key of a `-sess` algorithm is computed with that of the first.
    private let clientNonce: String

    /// - Parameter clientNonce: nil for 32 random hexadecimal digits.
    /// - Returns: nil if algorithm, quality of protection or values of the challenge are not supported.
    init?(_ challenge: HTTPChallenge, clientNonce: String? = nil) {
        let parameters = challenge.parameters
        let qualities = (parameters["qop"] ?? "").lowercased().split { ", \t".contains($0) }
        (realm, opaque) = (parameters["realm"], parameters["opaque"])
        nonce = parameters["nonce"] ?? ""
        algorithm = parameters["algorithm"]
        hasQuality = qualities.contains("auth")
        isStale = parameters["stale"]?.lowercased() == "true"
        hidesUser = parameters["userhash"]?.lowercased() == "true"
        self.clientNonce = clientNonce ?? Data.sixteenRandomBytes().hexadecimal
        let name = algorithm?.lowercased() ?? "md5"
        guard ["md5", "md5-sess", "sha-256", "sha-256-sess"].contains(name),
            hasQuality || !(qualities.contains("auth-int") || name.hasSuffix("-sess")),
            !nonce.isEmpty, [realm, nonce, opaque].allSatisfy(Self.canBeSentBack)
        else { return nil }
    }

    /// Whether all values that a request repeats are in ASCII. Others may be sent back in another encoding than the server's.
    var isASCII: Bool {
        [realm, nonce, opaque].allSatisfy { $0?.utf8.allSatisfy { $0 < 0x80 } != false }
    }

    /// Makes the value of an `Authorization` or `Proxy-Authorization` field for one request.
    ///
    /// - Parameters:
    ///   - target: the target in the request line.
    ///   - credential: its user must have no control characters.
    /// - Returns: nil if OpenSSL cannot be called, because the process is exiting.
    package mutating func answer(
        _ method: String, _ target: String, with credential: URLCredential
    ) -> String? {
        let user = credential.user ?? ""
        let realm = realm ?? ""
        uses += 1
        let count = withUnsafeBytes(of: uses.bigEndian) { $0.hexadecimal }
        guard var key = hash(user, realm, credential.password ?? "") else { return nil }
        if algorithm?.lowercased().hasSuffix("-sess") == true {
            key = hash(key, nonce, clientNonce) ?? ""
        }
        let what = hash(method, target) ?? ""
        let response =
            hasQuality
            ? hash(key, nonce, count, clientNonce, "auth", what) : hash(key, nonce, what)
        guard let response, let name = hidesUser ? hash(user, realm) : user else { return nil }
        var parts = [
            ("username", Self.quoted(name)), ("realm", Self.quoted(realm)),
            ("nonce", Self.quoted(nonce)), ("uri", Self.quoted(target)),
        ]
        if hasQuality {
            parts += [("cnonce", Self.quoted(clientNonce)), ("nc", count), ("qop", "auth")]
        }
        parts.append(("response", Self.quoted(response)))
        if let opaque { parts.append(("opaque", Self.quoted(opaque))) }
        if let algorithm { parts.append(("algorithm", algorithm)) }
        if hidesUser { parts.append(("userhash", "true")) }
        return "Digest " + parts.map { "\($0)=\($1)" }.joined(separator: ", ")
    }

    /// Hashes the texts, joined by colons, and returns the hash in hexadecimal digits.
    private func hash(_ texts: String...) -> String? {
        let isSHA256 = algorithm?.lowercased().hasPrefix("sha-256") == true
        let kind: FileSum.Kind = isSHA256 ? .sha256 : .md5
        return kind.sum(of: Data(texts.joined(separator: ":").utf8))?.hexadecimal
    }

    private static func canBeSentBack(_ value: String?) -> Bool {
        value.map { $0.utf8.count <= longestValue && RequestField.isValue($0) } ?? true
    }

    /// Returns a text as a quoted string (RFC 9110 section 5.6.4).
    private static func quoted(_ text: String) -> String {
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                quoted.append(UInt8(ascii: "\\"))
            }
            quoted.append(byte)
        }
        return String(decoding: quoted + [UInt8(ascii: "\"")], as: UTF8.self)
    }

}
