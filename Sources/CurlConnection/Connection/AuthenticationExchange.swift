import Foundation
import FoundationNetworking

/// Pure: a challenge's protection space from a 401, and the answer to it.
enum AuthenticationExchange {
    /// The space a 401 asks for, or nil when it offers no scheme that is known here.
    static func protectionSpace(for head: ResponseHead, url: URL) -> URLProtectionSpace? {
        guard head.statusCode == 401, let host = url.host() else { return nil }
        for field in head.fields where field.name.lowercased() == "www-authenticate" {
            guard let basic = basicChallenge(in: field.value) else { continue }
            return URLProtectionSpace(
                host: host, port: url.port ?? (url.scheme == "https" ? 443 : 80),
                protocol: url.scheme, realm: realm(in: basic),
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        }
        return nil
    }

    /// RFC 7617: user and password as UTF-8, joined by a colon, in base64.
    static func authorization(_ credential: URLCredential) -> String {
        let pair = "\(credential.user ?? ""):\(credential.password ?? "")"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }

    /// One field may hold several challenges; what follows the scheme's name is its own.
    private static func basicChallenge(in value: String) -> Substring? {
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.drop { $0 == " " || $0 == "\t" }
            let scheme = words.prefix { $0 != " " && $0 != "\t" }
            if scheme.lowercased() == "basic" {
                return value[words.startIndex...]
            }
        }
        return nil
    }

    private static func realm(in challenge: Substring) -> String? {
        guard let start = challenge.range(of: "realm=\"", options: .caseInsensitive) else {
            return nil
        }
        return String(challenge[start.upperBound...].prefix { $0 != "\"" })
    }
}

/// What a delegate may answer a challenge.
enum ChallengeAnswer: Sendable {
    case use(URLCredential)
    case continueWithoutCredential
    case cancel
}

/// Takes the first answer to one challenge, during the question or any time later.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the answer. Calls out on: the connection's thread.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    private struct State {
        var answer: ChallengeAnswer?
        var isAwaited = false
    }

    private let state = Locked(State())
    private let mailbox: Mailbox
    private let whenLate: @Sendable (ChallengeAnswer) -> Void

    /// - Parameter whenLate: called on the connection's thread with an answer given after the
    ///   question was over.
    init(mailbox: Mailbox, whenLate: @escaping @Sendable (ChallengeAnswer) -> Void) {
        self.mailbox = mailbox
        self.whenLate = whenLate
    }

    /// The answer given during the question; nil means that it will come late.
    func answerOfTheQuestion() -> ChallengeAnswer? {
        state.withLock { state in
            state.isAwaited = state.answer == nil
            return state.answer
        }
    }

    private func give(_ answer: ChallengeAnswer) {
        let isLate = state.withLock { state in
            guard state.answer == nil else { return false }
            state.answer = answer
            return state.isAwaited
        }
        if isLate {
            mailbox.perform { [whenLate] in whenLate(answer) }
        }
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        give(.use(credential))
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
        give(.continueWithoutCredential)
    }

    func cancel(_ challenge: URLAuthenticationChallenge) {
        give(.cancel)
    }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
        give(challenge.proposedCredential.map { .use($0) } ?? .continueWithoutCredential)
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        give(.continueWithoutCredential)
    }
}
