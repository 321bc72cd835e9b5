import Foundation
import Locking

/// Whether names are those of secrets: `access_token`, `user[password]`, `X-Api-Key`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the cache. Calls out: never.
enum SecretNames {
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

    /// Whether a name, possibly percent-encoded, is that of a secret.
    static func contain(_ name: String) -> Bool {
        if let answer = known.withLock({ $0[name] }) { return answer }
        let answer = isSecret(name)
        guard name.utf8.count <= longestKept else { return answer }
        known.withLock { known in
            if known.count >= limit { known.removeAll() }
            known[name] = answer
        }
        return answer
    }

    private static func isSecret(_ name: String) -> Bool {
        let lower = (name.removingPercentEncoding ?? name).lowercased()
        let letters = lower.filter { $0.isLetter || $0.isNumber }
        return fragments.contains(where: letters.contains)
            || lower.split { !$0.isLetter && !$0.isNumber }.contains(where: words.contains)
    }
}
