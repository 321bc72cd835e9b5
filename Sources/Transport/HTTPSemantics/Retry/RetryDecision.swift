public import Foundation

/// Why a request was sent again, or was not: one decision for each attempt that failed.
public struct RetryDecision: Sendable, Hashable {
    /// What failed.
    public enum Cause: Sendable, Hashable {
        /// A response with this status.
        case status(Int)
        /// A failure before a response.
        case error(URLError.Code)
    }

    /// Why a request is not sent again; the numbers never change.
    public enum Reason: Int, Sendable, Hashable {
        /// The policy does not name the status or the error.
        case notRetryable = 1
        /// The method may not be sent twice, and the policy has no `idempotencyKeyField`.
        case notIdempotent = 2
        /// `maximumAttempts` have been made.
        case attemptsUsed = 3
        /// The body comes from a stream that cannot be read again.
        case bodyUsed = 4
        /// `Retry-After` asks for more than `maximumRetryAfter`.
        case serverAsksForLonger = 5
        /// The time limit of the whole load would expire first.
        case deadline = 6
        /// The budget is used up.
        case budgetUsed = 7
    }

    /// What was decided.
    public enum Outcome: Sendable, Hashable {
        /// The next attempt begins after this many seconds.
        case waits(seconds: TimeInterval)
        /// There is no other attempt.
        case stops(Reason)
    }

    /// Which attempt failed; the first is 1.
    public let attempt: Int
    /// What failed.
    public let cause: Cause
    /// What was decided.
    public let outcome: Outcome

    package init(attempt: Int, cause: Cause, outcome: Outcome) {
        self.attempt = attempt
        self.cause = cause
        self.outcome = outcome
    }
}

extension RetryDecision: CustomStringConvertible {
    /// One line: `try 1: status 503; waits 0.412 s`.
    public var description: String {
        let failed =
            switch cause {
            case .status(let status): "status \(status)"
            case .error(let code): "error \(code.rawValue)"
            }
        let decided =
            switch outcome {
            case .waits(let seconds): "waits \(String(format: "%.3f", seconds)) s"
            case .stops(let reason): "stops: \(reason)"
            }
        return "try \(attempt): \(failed); \(decided)"
    }
}
