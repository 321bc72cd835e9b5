public import Foundation

/// When a request that failed before its response was delivered is sent again, as a value.
///
/// A connection that has one sends the request again inside the same load: the delegate, the operation or
/// the task gets the last try alone. Nothing is sent again once the response has been delivered, since
/// its bytes have gone to the program.
///
/// ```swift
/// manager.configuration.retryPolicy = RetryPolicy()
/// ```
///
/// The wait before try *n* + 1 is a random one between nothing and `delay` · 2ⁿ⁻¹, at most `maximumDelay`
/// ("full jitter"), and never shorter than what the server's `Retry-After` asks for. All requests that have
/// copies of one policy share its budget.
public struct RetryPolicy: Sendable {
    /// How often a request is sent in all, 1 or more; 4 at first.
    public var maximumAttempts = 4
    /// The responses that are worth another try: 408, 429, 502, 503 and 504 at first.
    public var statusCodes: Set<Int> = [408, 429, 502, 503, 504]
    /// The failures that are worth another try; at first those that a moment later may be over.
    public var errorCodes: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .networkConnectionLost,
        .notConnectedToInternet,
    ]
    /// The methods that may be sent twice: those that RFC 9110 calls idempotent (section 9.2.2), at first.
    public var methods: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
    /// The field that makes any other method safe to send twice; nil, the default: such requests are not
    /// sent again.
    ///
    /// A request without the field gets one with a new UUID, once, and keeps it over its tries. The server
    /// must know it: "Idempotency-Key" is a common name.
    public var idempotencyKeyField: String?
    /// Seconds, the most before the second try; 0.5 at first.
    public var delay: TimeInterval = 0.5
    /// Seconds, the most before any try; 30 at first.
    public var maximumDelay: TimeInterval = 30
    /// Seconds, the longest `Retry-After` that is waited for; 120 at first. A response that asks for more
    /// is the answer.
    public var maximumRetryAfter: TimeInterval = 120
    /// Seconds, the least before any try.
    package var minimumDelay: TimeInterval = 0
    /// What bounds the tries of all requests together; nil is no bound. An error says where it, and
    /// nothing else, ended the tries.
    public var budget: RetryBudget?

    /// The settings named at each property, and a budget of its own.
    public init(budget: RetryBudget? = RetryBudget()) {
        self.budget = budget
    }
}

extension RetryPolicy {
    /// Whether a request of this method may go out more than once.
    package func mayRepeat(_ method: String, hasKey: Bool) -> Bool {
        hasKey || methods.contains(method.uppercased())
    }

    /// Decides about a try that failed.
    ///
    /// - Parameters:
    ///   - now: what a date in `Retry-After` is compared with.
    ///   - random: a number from 0 to 1, and the budget is asked last: a no costs it nothing.
    package func decide(
        _ attempt: FailedAttempt, now: Date, random: Double = .random(in: 0...1)
    ) -> RetryDecision.Outcome {
        guard isWorthIt(attempt.cause) else { return .stops(.notRetryable) }
        guard mayRepeat(attempt.method, hasKey: attempt.hasKey) else {
            return .stops(.notIdempotent)
        }
        guard attempt.number < max(1, maximumAttempts) else { return .stops(.attemptsUsed) }
        var wait = max(minimumDelay, jitter(after: attempt.number) * min(max(random, 0), 1))
        if case .status(_, let field?) = attempt.cause,
            let asked = RetryAfter.seconds(field, now: now)
        {
            guard asked <= maximumRetryAfter else { return .stops(.serverAsksForLonger) }
            wait = max(wait, asked)
        }
        if let rest = attempt.rest, wait >= rest { return .stops(.deadline) }
        if let budget, !budget.take() { return .stops(.budgetUsed) }
        return .waits(seconds: wait)
    }

    private func isWorthIt(_ cause: FailedAttempt.Cause) -> Bool {
        switch cause {
        case .status(let status, _): statusCodes.contains(status)
        case .error(let code): errorCodes.contains(code)
        }
    }

    /// The longest wait after a number of tries.
    private func jitter(after number: Int) -> TimeInterval {
        let longest = delay * pow(2, Double(min(max(number - 1, 0), 30)))
        return max(0, min(longest, maximumDelay))
    }
}
