public import Foundation

/// When a request that failed before its response was delivered is sent again.
///
/// A connection with a policy sends the request again inside the same load: the delegate, operation
/// or task sees only the last attempt. Nothing is sent again once the response has been delivered,
/// since its bytes have gone to the program.
///
/// ```swift
/// manager.configuration.retryPolicy = RetryPolicy()
/// ```
///
/// The delay before attempt *n* + 1 is random, between 0 and `delay` · 2ⁿ⁻¹, at most `maximumDelay`
/// ("full jitter"), and never shorter than the server's `Retry-After`. All requests with copies of
/// one policy share its budget.
public struct RetryPolicy: Sendable {
    /// How many times a request is sent in all, 1 or more; 4 by default.
    public var maximumAttempts = 4
    /// The statuses that are retried: 408, 429, 502, 503 and 504 by default.
    public var statusCodes: Set<Int> = [408, 429, 502, 503, 504]
    /// The errors that are retried; by default those that may be temporary.
    public var errorCodes: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .networkConnectionLost,
        .notConnectedToInternet,
    ]
    /// The methods that may be sent twice: by default those that RFC 9110 calls idempotent (section
    /// 9.2.2).
    public var methods: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
    /// The field that makes any other method safe to send twice; nil, the default: such requests
    /// are not sent again.
    ///
    /// A request without the field gets one with a new UUID, the same in all its attempts. The
    /// server must support it: "Idempotency-Key" is a common name.
    public var idempotencyKeyField: String?
    /// The longest delay before the second attempt, in seconds; 0.5 by default.
    public var delay: TimeInterval = 0.5
    /// The longest delay before any attempt, in seconds; 30 by default.
    public var maximumDelay: TimeInterval = 30
    /// The longest `Retry-After` that is obeyed, in seconds; 120 by default. A response that asks
    /// for more is delivered.
    public var maximumRetryAfter: TimeInterval = 120
    /// The shortest delay before any attempt, in seconds.
    package var minimumDelay: TimeInterval = 0
    /// Limits the retries of all requests together; nil: no limit. Where the budget alone ended the
    /// attempts, the error says so.
    public var budget: RetryBudget?

    /// The defaults named at each property, and a budget of its own.
    public init(budget: RetryBudget? = RetryBudget()) {
        self.budget = budget
    }
}

extension RetryPolicy {
    /// Whether a request with this method may be sent more than once.
    package func mayRepeat(_ method: String, hasKey: Bool) -> Bool {
        hasKey || methods.contains(method.uppercased())
    }

    /// Decides about an attempt that failed.
    ///
    /// - Parameters:
    ///   - now: what a date in `Retry-After` is compared with.
    ///   - random: a number from 0 to 1. The budget is checked last, so that another reason does
    ///     not use it.
    package func decide(
        _ attempt: FailedAttempt, now: Date, random: Double = .random(in: 0...1)
    ) -> RetryDecision.Outcome {
        guard isWorthIt(attempt.cause) else { return .stops(.notRetryable) }
        guard mayRepeat(attempt.method, hasKey: attempt.hasKey) else {
            return .stops(.notIdempotent)
        }
        guard attempt.number < max(1, maximumAttempts) else { return .stops(.attemptsUsed) }
        var wait = max(minimumDelay, jitter(after: attempt.number) * min(max(random, 0), 1))
        if case .status = attempt.cause, let field = attempt.retryAfter,
            let asked = RetryAfter.seconds(field, now: now)
        {
            guard asked <= maximumRetryAfter else { return .stops(.serverAsksForLonger) }
            wait = max(wait, asked)
        }
        if let rest = attempt.rest, wait >= rest { return .stops(.deadline) }
        if let budget, !budget.take() { return .stops(.budgetUsed) }
        return .waits(seconds: wait)
    }

    private func isWorthIt(_ cause: RetryDecision.Cause) -> Bool {
        switch cause {
        case .status(let status): statusCodes.contains(status)
        case .error(let code): errorCodes.contains(code)
        }
    }

    /// The longest delay after a number of attempts.
    private func jitter(after number: Int) -> TimeInterval {
        let longest = delay * pow(2, Double(min(max(number - 1, 0), 30)))
        return max(0, min(longest, maximumDelay))
    }
}

/// The field `Retry-After` (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// Seconds from now, 0 for a date that has passed; nil where the value is neither a number of
    /// seconds nor a date.
    package static func seconds(_ value: String, now: Date) -> TimeInterval? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if let seconds = FieldValue.clampedNumber(text[...]) { return TimeInterval(seconds) }
        return HTTPDate.parse(text, now: now).map { max(0, $0.timeIntervalSince(now)) }
    }
}

/// What a retry decision knows about an attempt that failed.
package struct FailedAttempt {
    package var number: Int
    package var method: String
    package var hasKey: Bool
    package var cause: RetryDecision.Cause
    /// The field of a response.
    package var retryAfter: String?
    /// Seconds until the limit of the whole load; nil: no limit.
    package var rest: TimeInterval?

    package init(
        number: Int, method: String, hasKey: Bool, cause: RetryDecision.Cause,
        retryAfter: String? = nil, rest: TimeInterval?
    ) {
        self.number = number
        self.method = method
        self.hasKey = hasKey
        self.cause = cause
        self.retryAfter = retryAfter
        self.rest = rest
    }
}
