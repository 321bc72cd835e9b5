import Dispatch

/// The system's monotonic clock, the same for all processes of a machine.
enum MonotonicClock {
    /// Nanoseconds since an arbitrary moment.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
