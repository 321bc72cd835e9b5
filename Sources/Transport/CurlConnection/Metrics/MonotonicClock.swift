import EventRecorder
import Foundation
import Synchronization

/// The kernel's clock that never jumps, in nanoseconds.
package enum MonotonicClock {
    package static var now: UInt64 {
        EventRecorder.now
    }

    /// A span in nanoseconds; what is not positive or too long to count is nil, no limit.
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64? {
        guard seconds > 0, seconds < 1e9 else { return nil }
        return UInt64(seconds * 1e9)
    }
}

/// How far the wall clock is ahead of the monotonic one. A load keeps what it read first, so that all of its dates
/// keep their order also where the wall clock is set meanwhile.
package struct CalendarClock: BitwiseCopyable, Sendable {
    /// In nanoseconds since 1970; 0 where it was not read.
    private var offset: Int64 = 0

    /// Not read.
    init() {}

    /// Reads the wall clock, or uses what was read less than a second ago.
    ///
    /// - Parameter now: the time of the monotonic clock.
    init(at now: UInt64) {
        // Where another thread reads it at the same time, the offset of the second before is good enough.
        if now < Self.readAgain.load(ordering: .acquiring) {
            offset = Self.latest.load(ordering: .relaxed)
        } else {
            offset = Int64(Date().timeIntervalSince1970 * 1e9) &- Int64(truncatingIfNeeded: now)
            Self.latest.store(offset, ordering: .relaxed)
            Self.readAgain.store(now &+ 1_000_000_000, ordering: .releasing)
        }
    }

    private static let latest = Atomic<Int64>(0)
    private static let readAgain = Atomic<UInt64>(0)

    var isRead: Bool { offset != 0 }

    func isSame(as other: CalendarClock) -> Bool { offset == other.offset }

    /// The date of an instant; nil for 0, which is never.
    func date(of instant: UInt64) -> Date? {
        guard instant > 0 else { return nil }
        let nanoseconds = offset &+ Int64(truncatingIfNeeded: instant)
        // The whole seconds first: a double has no room for today's date in nanoseconds.
        let seconds = nanoseconds / 1_000_000_000
        let rest = nanoseconds % 1_000_000_000
        return Date(
            timeIntervalSinceReferenceDate: Double(seconds)
                - Date.timeIntervalBetween1970AndReferenceDate + Double(rest) / 1e9)
    }
}
