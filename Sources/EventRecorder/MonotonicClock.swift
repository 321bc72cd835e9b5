import Foundation

/// The system's monotonic clock, the same for all processes of a machine.
enum MonotonicClock {
    /// Nanoseconds since an arbitrary moment.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
