package import Foundation
import Locking

/// The origins that have asked for a rest by `Retry-After`, and when each is over.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the moments. Calls out on: nobody.
package final class OriginRests: Sendable {
    /// The time that rests go by.
    package let clock: NetworkClock
    private let ends = Locked<[Origin: UInt64]>([:])

    package init(_ clock: NetworkClock) {
        self.clock = clock
    }

    /// The server of a URL has asked for a rest of so many seconds. One that ends later stays.
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

    /// Seconds until its server may be asked again; 0 where that is now.
    package func rest(of url: URL?) -> TimeInterval {
        guard let origin = url.flatMap(Origin.init),
            let end = ends.withLock({ $0[origin] })
        else { return 0 }
        let now = clock.nanoseconds
        return end > now ? Double(end - now) / 1e9 : 0
    }
}
