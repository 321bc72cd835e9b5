public import Foundation

/// Where an old method puts its error; nil when the caller does not want it.
///
/// Swift defines this name only beside Objective-C. `error: nil` and `error: &error` with
/// `var error: NSError?` compile as before.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Puts what a block throws where the caller wants it and gives nil then; nothing is written
/// when nothing goes wrong, as Cocoa has it.
func attempt<Value>(_ pointer: NSErrorPointer, _ make: () throws -> Value) -> Value? {
    do {
        return try make()
    } catch {
        pointer?.pointee = error as NSError
        return nil
    }
}
