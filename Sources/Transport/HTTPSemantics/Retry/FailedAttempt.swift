package import Foundation

/// What a retry decision knows about an attempt that failed.
package struct FailedAttempt {
    package enum Cause: Equatable {
        case status(Int, retryAfter: String?)
        case error(URLError.Code)
    }

    package var number: Int
    package var method: String
    package var hasKey: Bool
    package var cause: Cause
    /// Seconds until the limit of the whole load; nil: no limit.
    package var rest: TimeInterval?

    package init(
        number: Int, method: String, hasKey: Bool, cause: Cause, rest: TimeInterval?
    ) {
        self.number = number
        self.method = method
        self.hasKey = hasKey
        self.cause = cause
        self.rest = rest
    }
}
