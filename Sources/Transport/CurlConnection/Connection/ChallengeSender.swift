import Foundation
import FoundationNetworking

/// What a delegate may answer a challenge.
enum ChallengeAnswer: Sendable {
    case use(URLCredential)
    case continueWithoutCredential
    /// The connection decides as if there were no delegate.
    case performDefaultHandling(proposed: URLCredential?)
    /// Another way to authenticate may be offered.
    case rejectProtectionSpace
    case cancel
    /// The challenge was released without an answer.
    case abandoned
}

/// Answers a challenge as Foundation's callers do.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; that of its decision. Calls out on: the connection's thread.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    private let decision: Decision<ChallengeAnswer>

    init(_ decision: Decision<ChallengeAnswer>) {
        self.decision = decision
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        decision.answer(.use(credential))
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
        decision.answer(.continueWithoutCredential)
    }

    func cancel(_ challenge: URLAuthenticationChallenge) {
        decision.answer(.cancel)
    }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
        decision.answer(.performDefaultHandling(proposed: challenge.proposedCredential))
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        decision.answer(.rejectProtectionSpace)
    }
}
