import Foundation
import FoundationNetworking
import Locking

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

/// Takes the first answer to one challenge, during the delegate's call or later.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the answer. Calls out on: the connection's thread.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    private struct State {
        var answer: ChallengeAnswer?
        var isAwaited = false
        /// Taken on the connection's thread alone.
        var whenLate: ((ChallengeAnswer) -> Void)?
    }

    private let state: Locked<State>
    private let crossThreadJobs: CrossThreadJobs

    /// - Parameter whenLate: called on the connection's thread with an answer that came after the
    ///   delegate's call.
    init(_ crossThreadJobs: CrossThreadJobs, whenLate: @escaping (ChallengeAnswer) -> Void) {
        self.crossThreadJobs = crossThreadJobs
        state = Locked(State(whenLate: whenLate))
    }

    deinit {
        give(.abandoned)
    }

    /// The answer given during the delegate's call; nil means that it will come late.
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
            crossThreadJobs.perform { [state] _ in
                state.withLock { $0.whenLate.take() }?(answer)
            }
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
        give(.performDefaultHandling(proposed: challenge.proposedCredential))
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        give(.rejectProtectionSpace)
    }
}
