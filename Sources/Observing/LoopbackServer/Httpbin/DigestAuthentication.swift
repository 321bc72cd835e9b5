import COpenSSL
import Foundation

/// A hash function of Digest authentication (RFC 7616 section 3.3).
enum DigestAlgorithm: String {
    case md5 = "MD5"
    case sha256 = "SHA-256"

    /// The hash in lower-case hexadecimal digits.
    func hash(_ data: Data) -> String {
        copenssl_stay_through_exit()
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let function = self == .md5 ? EVP_md5() : EVP_sha256()
        let isDone = data.withUnsafeBytes {
            EVP_Digest($0.baseAddress, $0.count, &digest, &count, function, nil)
        }
        guard isDone == 1 else { return "" }
        return digest.prefix(Int(count)).map {
            let digits = String($0, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    func hash(_ parts: String...) -> String {
        hash(Data(parts.joined(separator: ":").utf8))
    }
}

/// The Digest authentication of one path: its challenge, and whether credentials satisfy it.
struct DigestAuthentication {
    enum Judgement {
        case right
        case wrong
        /// The password is right; the nonce has expired or is another server's, or its count was
        /// used before.
        case stale
        case malformed
        /// `auth-int` of a body that was not kept whole.
        case tooLong
    }

    private static let realm = "Fake Realm"

    /// `auth`, `auth-int`, or `none` for RFC 2069; anything else offers the first two.
    let quality: String
    let user: String
    let password: String
    let algorithm: DigestAlgorithm
    /// How many requests one nonce may be used for; nil for any number.
    let uses: Int?

    private var qualities: [String] {
        switch quality {
        case "auth", "auth-int": [quality]
        case "none": []
        default: ["auth", "auth-int"]
        }
    }

    func challenge(_ state: ServerState, isStale: Bool) -> (String, String) {
        let serial = state.journal.count("digest nonces")
        var parts = [
            "realm=\"\(Self.realm)\"", "nonce=\"\(state.secret)-\(serial)\"",
            "opaque=\"\(state.secret)\"", "algorithm=\(algorithm.rawValue)",
        ]
        if !qualities.isEmpty { parts.append("qop=\"\(qualities.joined(separator: ", "))\"") }
        if isStale { parts.append("stale=true") }
        return ("WWW-Authenticate", "Digest " + parts.joined(separator: ", "))
    }

    func judge(_ request: RecordedRequest, _ state: ServerState) -> Judgement {
        guard let header = request.headers["Authorization"], header.hasPrefix("Digest ") else {
            return .wrong
        }
        let fields = Self.fields(header.dropFirst("Digest ".count))
        guard let nonce = fields["nonce"], fields["uri"] == request.target,
            let response = fields["response"],
            qualities.isEmpty ? fields["qop"] == nil : qualities.contains(fields["qop"] ?? ""),
            Journal.accepts(nonce + (fields["nc"] ?? ""))
        else { return .malformed }
        if fields["qop"] == "auth-int", request.body.count < request.bodyLength { return .tooLong }
        guard fields["username"] == user, fields["realm"] == Self.realm,
            fields["algorithm", default: "MD5"] == algorithm.rawValue,
            response == expected(fields, nonce, request)
        else { return .wrong }
        let isOurs =
            nonce.hasPrefix(state.secret + "-") && fields["opaque"] == state.secret
        guard isOurs else { return .stale }
        let journal = state.journal
        if let count = fields["nc"], journal.count("digest \(nonce) \(count)") > 1 {
            return .stale
        }
        return journal.count("digest \(nonce)") <= uses ?? .max ? .right : .stale
    }

    /// The `response` parameter that the right password gives (RFC 7616 section 3.4.1).
    private func expected(
        _ fields: [String: String], _ nonce: String, _ request: RecordedRequest
    ) -> String {
        let secret = algorithm.hash(user, Self.realm, password)
        var what = [request.method, request.target]
        guard let quality = fields["qop"] else {
            return algorithm.hash(secret, nonce, algorithm.hash(what[0], what[1]))
        }
        if quality == "auth-int" { what.append(algorithm.hash(request.body)) }
        let whole = algorithm.hash(Data(what.joined(separator: ":").utf8))
        return algorithm.hash(
            secret, nonce, fields["nc"] ?? "", fields["cnonce"] ?? "", quality, whole)
    }

    /// The parameters by name; a value may be a quoted string.
    static func fields(_ text: Substring) -> [String: String] {
        var fields: [String: String] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].lowercased().filter { $0 != "," && $0 != " " }
            rest = rest[rest.index(after: equals)...]
            var value = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let next = rest.popFirst(), next != "\"" {
                    value.append(next == "\\" ? rest.popFirst() ?? next : next)
                }
            } else {
                let end = rest.firstIndex { $0 == "," || $0 == " " } ?? rest.endIndex
                value = String(rest[..<end])
                rest = rest[end...]
            }
            fields[name] = value
        }
        return fields
    }
}
