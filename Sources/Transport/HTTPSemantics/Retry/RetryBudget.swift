import Locking

/// Limits how much load retries add: each request that begins adds a part of a retry to the budget, and each
/// retry takes a whole one.
///
/// While a server fails now and then, the budget suffices. While it always fails, all requests together get no
/// more retries than `reserve` and `ratio` of their number. Older requests count less and less.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the counts. Calls out on: nobody.
public final class RetryBudget: Sendable {
    /// How many tries a request allows, 0 to 1.
    public let ratio: Double
    /// How many tries there are without any request.
    public let reserve: Double

    private struct Counts {
        var requests = 0.0
        var tries = 0.0
    }

    private let counts = Locked(Counts())
    /// Past so many requests what was counted is halved.
    private static let window = 10_000.0

    /// A budget.
    ///
    /// - Parameters:
    ///   - ratio: of the requests; 0.5 sends at most half as many again.
    ///   - reserve: 1 or more, so that a single request may be tried at all.
    public init(ratio: Double = 0.5, reserve: Double = 100) {
        self.ratio = min(max(ratio, 0), 1)
        self.reserve = max(reserve, 1)
    }

    /// How many tries there are now.
    public var available: Double { counts.withLock(available) }

    private func available(_ counts: inout Counts) -> Double {
        reserve + ratio * counts.requests - counts.tries
    }

    /// A request begins.
    package func add() {
        counts.withLock { counts in
            counts.requests += 1
            guard counts.requests > Self.window else { return }
            counts.requests /= 2
            counts.tries /= 2
        }
    }

    /// Takes a try; false where there is none.
    func take() -> Bool {
        counts.withLock { counts in
            guard available(&counts) >= 1 else { return false }
            counts.tries += 1
            return true
        }
    }
}
