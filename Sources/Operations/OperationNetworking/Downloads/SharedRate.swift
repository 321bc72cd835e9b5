import Foundation
import HTTPSemantics
import Locking

/// The bytes that several downloads may receive in a second together.
///
/// Each connection that has received more than there is left waits until that is made up for, behind those that
/// wait already.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the balance. Calls out on: nothing.
package final class SharedRate: Sendable {
    private let bytesPerSecond: Double
    private let state = Locked<(left: Double, instant: ContinuousClock.Instant)>((0.0, .now))

    package init(bytesPerSecond: Int64) {
        self.bytesPerSecond = Double(max(1, bytesPerSecond))
    }

    /// How many bytes one connection may receive before it asks again: those of a twentieth of a second.
    var piece: Int { Int(min(262_144, max(1, bytesPerSecond / 20))) }

    /// Counts received bytes.
    ///
    /// - Returns: the seconds until the connection may receive more.
    func take(_ count: Int, at now: ContinuousClock.Instant = .now) -> TimeInterval {
        state.withLock { state in
            let gained = max(0, (now - state.instant) / .seconds(1)) * bytesPerSecond
            // Time in which nothing was received is not made up for.
            state.left = min(Double(piece), state.left + gained) - Double(count)
            state.instant = max(state.instant, now)
            return max(0, -state.left / bytesPerSecond)
        }
    }
}
