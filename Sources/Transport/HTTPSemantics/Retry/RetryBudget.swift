package import Foundation
import Locking

/// Limits how much load retries add: each new request adds a fraction of a retry to the budget, and
/// each retry takes one.
///
/// While a server fails occasionally, the budget suffices. While it always fails, all requests
/// together get no more retries than `reserve` plus `ratio` of their number. Older requests count
/// less and less.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the counts. Calls out on: nothing.
public final class RetryBudget: Sendable {
    /// How many retries each request adds, 0 to 1.
    public let ratio: Double
    /// How many retries are available without any request.
    public let reserve: Double

    private struct Counts {
        var requests = 0.0
        var tries = 0.0
    }

    private let counts = Locked(Counts())
    /// Beyond this many requests the counts are halved.
    private static let window = 10_000.0

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - ratio: retries for each request; 0.5 sends at most half as many requests again.
    ///   - reserve: 1 or more, so that a single request can be retried.
    public init(ratio: Double = 0.5, reserve: Double = 100) {
        self.ratio = min(max(ratio, 0), 1)
        self.reserve = max(reserve, 1)
    }

    /// How many retries are available now.
    public var available: Double { counts.withLock(available) }

    private func available(_ counts: inout Counts) -> Double {
        reserve + ratio * counts.requests - counts.tries
    }

    /// Adds a new request's fraction of a retry.
    package func add() {
        counts.withLock { counts in
            counts.requests += 1
            guard counts.requests > Self.window else { return }
            counts.requests /= 2
            counts.tries /= 2
        }
    }

    func take() -> Bool {
        counts.withLock { counts in
            guard available(&counts) >= 1 else { return false }
            counts.tries += 1
            return true
        }
    }
}

/// The sentence that an error gets when the retry budget alone ended the attempts.
package enum BudgetUsed {
    package static let text = "the retry budget is used up"
    package static let sentence = "The retry budget is used up."

    package static func noted(in error: URLError) -> URLError {
        var info = error.userInfo
        info[NSUnderlyingErrorKey] = error.underlyingError
        info[NSLocalizedDescriptionKey] = error.localizedDescription + " " + sentence
        return URLError(error.code, described: info)
    }
}
