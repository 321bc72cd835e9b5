import Foundation
import HTTPSemantics

/// One more try of a file.
struct Retry: Sendable, Equatable {
    /// Seconds until it begins.
    var pause: TimeInterval
    /// The first retry is 1.
    var number: Int
    /// The most retries.
    var limit: Int
}

extension RetryPolicy {
    /// What the command tries again: also what a server answers when it starts or stops. No budget: the number
    /// that was asked for is made.
    ///
    /// - Parameter pause: seconds before each retry; nil: a random time, at most `delay` at first.
    static func retries(
        _ count: Int, delay: TimeInterval = 0.5, pause: TimeInterval? = nil
    ) -> RetryPolicy {
        var policy = RetryPolicy(budget: nil)
        policy.maximumAttempts = count + 1
        policy.statusCodes.formUnion([425, 500])
        policy.errorCodes.formUnion([
            .cannotParseResponse, .badServerResponse, .resourceUnavailable,
        ])
        policy.delay = pause == nil ? delay : 0
        policy.minimumDelay = pause ?? 0
        policy.maximumDelay = 8
        return policy
    }
}
