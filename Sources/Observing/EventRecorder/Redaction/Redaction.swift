import Foundation
import Locking

/// Removes secrets from texts; redacted text stays unchanged when it is redacted again.
///
/// It works on bytes, because it runs for each recorded request. Only the secret is changed.
/// Descriptions of values use the same rules as recordings.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the cache of names. Calls out: never.
package enum Redaction {
    package static let mark = "REDACTED"

    private static let spaces: ASCIISet = " \t\r\n"
    private static let signs: ASCIISet = "=@%"

    /// Redacts each word that is a URL or a part of one.
    package static func text(_ text: String) -> String {
        redacted(text) { bytes, secrets in
            spaces.eachPiece(of: bytes) { word, _ in secrets.find(inAddress: word) }
        }
    }

    /// Redacts user information, and values in path, query and fragment that have secret names.
    package static func address(_ address: String) -> String {
        redacted(address) { $1.find(inAddress: $0) }
    }

    private static func redacted(
        _ text: String, _ find: (ArraySlice<UInt8>, inout AddressSecrets) -> Void
    ) -> String {
        // Most texts have no character that a secret needs.
        guard text.utf8.contains(where: signs.contains) else { return text }
        let bytes = Array(text.utf8)
        var secrets = AddressSecrets()
        find(bytes[...], &secrets)
        guard !secrets.ranges.isEmpty else { return text }
        var result: [UInt8] = []
        var end = 0
        for range in secrets.ranges {
            result += bytes[end..<range.lowerBound]
            result += mark.utf8
            end = range.upperBound
        }
        result += bytes[end...]
        return String(decoding: result, as: UTF8.self)
    }
}

extension Redaction {
    /// Redacts header fields; cookies that Foundation joined into one field are separated.
    package static func fields(
        _ fields: [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        fields.flatMap { name, value in
            (isSecret(name) ? values(value, of: name) : [text(value)]).map { (name, $0) }
        }
    }

    /// The printable values of a field with a secret name.
    private static func values(_ value: String, of name: String) -> [String] {
        switch name.lowercased() {
        case "authorization", "proxy-authorization": [credentials(value)]
        case "cookie": [cookies(value)]
        case "set-cookie": setCookies(value)
        default: [mark]
        }
    }

    /// Lower case: IANA's registry, and unregistered ones in use.
    private static let schemes: Set<String> = [
        "basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate",
        "oauth", "privatetoken", "scram-sha-1", "scram-sha-256", "vapid",
        "aws4-hmac-sha256", "hawk", "ntlm", "token",
    ]

    /// Keeps the scheme, if it is one.
    private static func credentials(_ value: String) -> String {
        guard let space = value.firstIndex(of: " "),
            schemes.contains(value[..<space].lowercased())
        else { return mark }
        return value[...space] + mark
    }

    private static func cookies(_ value: String) -> String {
        value.split(separator: ";").map(cookie).joined(separator: "; ")
    }

    private static func cookie(_ pair: Substring) -> String {
        guard let sign = pair.firstIndex(of: "=") else { return mark }
        return pair[...sign].trimmingCharacters(in: .whitespaces) + mark
    }

    private static let attributes: Set<String> = [
        "expires", "max-age", "domain", "path", "secure", "httponly", "samesite", "partitioned",
        "priority",
    ]

    /// Keeps the names of cookies, and their attributes. After an attribute's comma comes the next
    /// cookie; a date has one comma itself.
    private static func setCookies(_ value: String) -> [String] {
        var cookies: [String] = []
        for piece in value.split(separator: ";") {
            let name = piece.prefix { $0 != "=" && $0 != "," }
                .trimmingCharacters(in: .whitespaces).lowercased()
            guard let last = cookies.indices.last else {
                cookies.append(cookie(piece))
                continue
            }
            guard attributes.contains(name) else {
                cookies[last] += "; " + cookie(piece)
                continue
            }
            let commas = name == "expires" ? 1 : 0
            let parts = piece.split(separator: ",", maxSplits: commas + 1)
            cookies[last] += ";" + parts.prefix(commas + 1).joined(separator: ",")
            if parts.count > commas + 1 { cookies.append(cookie(parts[commas + 1])) }
        }
        return cookies
    }
}

// Names of secrets: `access_token`, `user[password]`, `X-Api-Key`.
extension Redaction {
    private static let fragments = [
        "token", "secret", "passw", "passphrase", "apikey", "accesskey", "privatekey", "signature",
        "credential", "authorization", "cookie", "session", "jwt", "saml", "assertion",
        "csrf", "xsrf",
    ]
    private static let words: Set<Substring> = [
        "key", "pass", "pwd", "sig", "auth", "code", "pin", "otp", "sid",
    ]
    /// The cache is limited because a server may invent names; usual requests repeat the same few.
    private static let (limit, longestKept) = (1000, 100)

    private static let known = Locked<[String: Bool]>([:])

    /// Whether a field, parameter or member of this name, possibly percent-encoded, is a secret.
    package static func isSecret(_ name: String) -> Bool {
        if let answer = known.withLock({ $0[name] }) { return answer }
        let lower = (name.removingPercentEncoding ?? name).lowercased()
        let letters = lower.filter { $0.isLetter || $0.isNumber }
        let answer =
            fragments.contains(where: letters.contains)
            || lower.split { !$0.isLetter && !$0.isNumber }.contains(where: words.contains)
        guard name.utf8.count <= longestKept else { return answer }
        known.withLock { known in
            if known.count >= limit { known.removeAll() }
            known[name] = answer
        }
        return answer
    }
}
