import Foundation
import HTTPSemantics

/// A retry of a file.
struct Retry: Sendable, Equatable {
    /// Seconds until it begins.
    var pause: TimeInterval
    /// The first retry is 1.
    var number: Int
    /// The most retries.
    var limit: Int
}

extension RetryPolicy {
    /// The command's policy. It also retries responses of a server that starts or stops, and has no
    /// budget, because the number of retries was given.
    ///
    /// - Parameter pause: seconds before each retry; nil for a random time, at most `delay` at first.
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
