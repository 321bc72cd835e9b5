public import Foundation
import HTTPSemantics

// Methods of key-value coding that sources for Apple's systems use and Foundation on Linux lacks.

extension NSDictionary {
    /// The value at keys with dots between them; nil where there is none.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyedValue.value(of: self, at: keyPath)
    }
}

extension NSArray {
    /// The value of a key of each element, `NSNull` where one has none.
    public func value(forKey key: String) -> Any? { KeyedValue.value(of: self, for: key) }

    /// The value at keys with dots between them of each element, `NSNull` where one has none.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyedValue.value(of: self, at: keyPath)
    }
}

extension NSMutableDictionary {
    /// Sets the value of a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: key as NSString)
        } else {
            removeObject(forKey: key as NSString)
        }
    }
}

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
