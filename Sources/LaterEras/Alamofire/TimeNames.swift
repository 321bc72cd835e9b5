public import Foundation

/// Seconds since 1 January 2001, 0:00 UTC, as the instants of a `Timeline`.
public typealias CFAbsoluteTime = TimeInterval

/// The time now.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Date().timeIntervalSinceReferenceDate
}

/// Nanoseconds of a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds of a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds of a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds of a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
