// `import AFNetworking` exports what the old framework exported.
@_exported public import CurlConnection
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import FoundationXML
import HTTPSemantics
@_exported public import NetworkImages
@_exported public import OperationNetworking
@_exported public import SessionEra

// Declarations of Apple's Foundation that Foundation on Linux does not have. Module Alamofire has some of them too; its
// own are preferred if a program links both.

extension NSDictionary {
    /// The value at a key path; nil if there is none.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyedValue.value(of: self, at: keyPath)
    }
}

extension NSArray {
    /// The value of a key of each element; `NSNull` for an element without one.
    @_disfavoredOverload
    public func value(forKey key: String) -> Any? { KeyedValue.value(of: self, for: key) }

    /// The value at a key path of each element; `NSNull` for an element without one.
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
    /// An empty text, written `NSMutableString()`. Without the parameter it would override `NSString`'s initializer.
    public convenience init(_ nothing: Void = ()) {
        self.init(capacity: 0)
    }
}

/// The user info key of the resume data in the error of a download.
@available(*, deprecated, renamed: "URLSessionDownloadTaskResumeData")
public var NSURLSessionDownloadTaskResumeData: String {
    URLSessionDownloadTaskResumeData
}

/// Nanoseconds in a second.
@_disfavoredOverload
public var NSEC_PER_SEC: UInt64 { 1_000_000_000 }
/// Nanoseconds in a millisecond.
@_disfavoredOverload
public var NSEC_PER_MSEC: UInt64 { 1_000_000 }
/// Nanoseconds in a microsecond.
@_disfavoredOverload
public var NSEC_PER_USEC: UInt64 { 1_000 }
/// Microseconds in a second.
@_disfavoredOverload
public var USEC_PER_SEC: UInt64 { 1_000_000 }

/// The error parameter of an old method; nil if the caller does not need the error.
///
/// Swift has this name only with Objective-C. `error: nil` and `error: &error` with `var error: NSError?` compile as
/// before.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// The type of Objective-C's out parameters in old blocks. Swift has it only with Objective-C.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// Returns nil if a block throws, and writes its error to the pointer; without an error nothing is written, as in
/// Cocoa.
func attempt<Value>(_ pointer: NSErrorPointer, _ make: () throws -> Value) -> Value? {
    do {
        return try make()
    } catch {
        pointer?.pointee = error as NSError
        return nil
    }
}
