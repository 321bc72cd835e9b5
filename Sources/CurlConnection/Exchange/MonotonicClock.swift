import Dispatch
import Foundation

/// The kernel's clock that never jumps, in nanoseconds.
enum MonotonicClock {
    static var now: UInt64 {
        DispatchTime.now().uptimeNanoseconds
    }

    /// A span in nanoseconds; what is not positive or too long to count is nil, no limit.
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64? {
        guard seconds > 0, seconds < 1e9 else { return nil }
        return UInt64(seconds * 1e9)
    }
}
