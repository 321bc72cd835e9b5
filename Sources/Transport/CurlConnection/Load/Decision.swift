import Foundation
import FoundationNetworking
import Locking

extension URLConnection {
    /// A delegate's answer to a question of its connection.
    public enum Answer<Value> {
        case now(Value)
        /// It comes with the decision. Until then the delegate is not called, the socket is not read any further, and
        /// the request's `timeoutInterval` does not run; the limit for the whole load does. The thread is not blocked.
        case later(Decision<Value>)

        /// The answer, in which a decision that was made before the delegate call returned has become `now`.
        var settled: Answer {
            guard case .later(let decision) = self, let value = decision.takeEarly() else {
                return self
            }
            return .now(value)
        }
    }
}

extension URLConnection.Answer: Sendable where Value: Sendable {}

/// An answer that comes later. The first one counts.
///
/// It answers one question; a program that returns it for a second one is stopped. Further answers, and those after
/// the end of the load, change nothing; one that comes while the load is suspended counts when it is resumed. A
/// decision that is released without an answer fails the connection with `URLError.cancelled`; one about the cache
/// keeps the response out. While it is open it retains its connection.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the answer. Calls out on: the connection's thread.
public final class Decision<Value>: Sendable {
    private struct State {
        var value: Value?
        /// It was answered, or released.
        var isOver = false
        /// A question has it.
        var isTaken = false

        mutating func take() {
            precondition(!isTaken, "A decision answers one question. Make another for each.")
            isTaken = true
        }
        /// Called on the connection's thread alone.
        var whenLate: ((Value?) -> Void)?
        var crossThreadJobs: CrossThreadJobs?
    }

    private let state = Locked(State())

    /// Makes a decision that is open.
    public init() {}

    deinit {
        give(nil)
    }

    /// Answers. What the answer refers to belongs to the connection from then on.
    public func answer(_ value: Value) {
        give(value)
    }

    /// Takes the answer, where it is there already.
    func takeEarly() -> Value? {
        state.withLock { state in
            guard state.isTaken || state.value != nil else { return nil }
            state.take()
            return state.value.take()
        }
    }

    /// Calls on the connection's thread with the answer, now or later, but not inside this call; with nil
    /// where the decision is released without one.
    func whenAnswered(
        on crossThreadJobs: CrossThreadJobs, _ goOn: @escaping (Value?) -> Void
    ) {
        let isOver = state.withLock { state in
            state.take()
            state.whenLate = goOn
            state.crossThreadJobs = crossThreadJobs
            return state.isOver
        }
        if isOver { notify(on: crossThreadJobs) }
    }

    private func give(_ value: Value?) {
        let crossThreadJobs: CrossThreadJobs? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.value = value
            return state.crossThreadJobs
        }
        if let crossThreadJobs { notify(on: crossThreadJobs) }
    }

    private func notify(on crossThreadJobs: CrossThreadJobs) {
        crossThreadJobs.perform { [state] _ in
            let (whenLate, value) = state.withLock { ($0.whenLate.take(), $0.value.take()) }
            whenLate?(value)
        }
    }
}

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
