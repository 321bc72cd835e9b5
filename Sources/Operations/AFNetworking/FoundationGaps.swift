public import Foundation
import FoundationNetworking
import HTTPSemantics

// Declarations that sources for Apple's systems use and Foundation on Linux lacks. Module Alamofire has some of
// the same, which count where a program links both.

extension NSDictionary {
    /// The value at keys with dots between them; nil where there is none.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyedValue.value(of: self, at: keyPath)
    }
}

extension NSArray {
    /// The value of a key of each element, `NSNull` where one has none.
    @_disfavoredOverload
    public func value(forKey key: String) -> Any? { KeyedValue.value(of: self, for: key) }

    /// The value at keys with dots between them of each element, `NSNull` where one has none.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyedValue.value(of: self, at: keyPath)
    }
}

extension NSMutableDictionary {
    /// Sets the value of a key; nil removes it.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: key as NSString)
        } else {
            removeObject(forKey: key as NSString)
        }
    }
}

extension NSMutableString {
    /// An empty text, written `NSMutableString()`.
    ///
    /// Without its parameter it would override `NSString`'s, which an extension cannot do.
    public convenience init(_ nothing: Void = ()) {
        self.init(capacity: 0)
    }
}

/// The user info key of the resume data in the error of a download.
@available(*, deprecated, renamed: "URLSessionDownloadTaskResumeData")
public var NSURLSessionDownloadTaskResumeData: String {
    URLSessionDownloadTaskResumeData
}

/// Nanoseconds of a second.
@_disfavoredOverload
public var NSEC_PER_SEC: UInt64 { 1_000_000_000 }
/// Nanoseconds of a millisecond.
@_disfavoredOverload
public var NSEC_PER_MSEC: UInt64 { 1_000_000 }
/// Nanoseconds of a microsecond.
@_disfavoredOverload
public var NSEC_PER_USEC: UInt64 { 1_000 }
/// Microseconds of a second.
@_disfavoredOverload
public var USEC_PER_SEC: UInt64 { 1_000_000 }
