package import Foundation
import Locking

/// Until when each origin's `Retry-After` delays requests to it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the times. Calls out on: nothing.
package final class OriginDelays: Sendable {
    package let clock: NetworkClock
    private let ends = Locked<[Origin: UInt64]>([:])

    package init(_ clock: NetworkClock) {
        self.clock = clock
    }

    /// Delays requests to a URL's origin by a number of seconds, unless a longer delay is set.
    package func add(_ seconds: TimeInterval, for url: URL?) {
        guard let origin = url.flatMap(Origin.init), let end = clock.deadline(in: seconds) else {
            return
        }
        let now = clock.nanoseconds
        ends.withLock { ends in
            ends = ends.filter { $0.value > now }
            ends[origin] = max(end, ends[origin] ?? 0)
        }
    }

    /// Seconds until a request may be sent to the URL's origin; 0 for now.
    package func delay(of url: URL?) -> TimeInterval {
        guard let origin = url.flatMap(Origin.init),
            let end = ends.withLock({ $0[origin] })
        else { return 0 }
        let now = clock.nanoseconds
        return end > now ? Double(end - now) / 1e9 : 0
    }
}
