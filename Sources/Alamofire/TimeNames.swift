public import Foundation

/// Seconds since 1 January 2001, 0:00 UTC, as the instants of a `Timeline`.
public typealias CFAbsoluteTime = TimeInterval

/// The time now.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Date().timeIntervalSinceReferenceDate
}
