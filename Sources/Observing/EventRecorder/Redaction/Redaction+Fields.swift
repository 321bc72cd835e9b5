import Foundation

extension Redaction {
    /// Redacts header fields; cookies that Foundation joined into one field are separated.
    package static func fields(
        _ fields: [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        fields.flatMap { name, value in
            let isSecret = SecretNames.contain(name)
            return (isSecret ? values(value, of: name) : [text(value)]).map { (name, $0) }
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
