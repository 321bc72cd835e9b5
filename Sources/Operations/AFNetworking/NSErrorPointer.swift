public import Foundation

/// The error parameter of an old method; nil when the caller does not need the error.
///
/// Swift defines this name only beside Objective-C. `error: nil` and `error: &error` with
/// `var error: NSError?` compile as before.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// The pointer type of Objective-C's out parameters, which old blocks name; Swift has it beside
/// Objective-C alone.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// Writes the error that a block throws to the pointer and returns nil. Without an error nothing is
/// written, as in Cocoa.
func attempt<Value>(_ pointer: NSErrorPointer, _ make: () throws -> Value) -> Value? {
    do {
        return try make()
    } catch {
        pointer?.pointee = error as NSError
        return nil
    }
}
