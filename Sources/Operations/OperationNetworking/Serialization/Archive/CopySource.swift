package import Foundation

/// Makes copies of objects whose classes programs derive from.
///
/// A subclass with an initializer of its own need not have the base's: `init(coder:)` alone is required of
/// each. It is called with a coder that has no values, and the base takes the original's in their place.
package enum CopySource {
    private struct Copying: @unchecked Sendable {
        // @unchecked because both are used on the one thread that copies.
        let coder: NSCoder
        let original: NSObject
    }

    @TaskLocal private static var copying: Copying?

    /// An object of the original's class; nil where its `init(coder:)` gives none.
    package static func copy<Value: NSObject & NSCoding>(_ original: Value) -> Value? {
        let empty = NSKeyedArchiver(requiringSecureCoding: true)
        empty.finishEncoding()
        guard let coder = try? NSKeyedUnarchiver(forReadingFrom: empty.encodedData) else {
            return nil
        }
        // Otherwise the first key that a subclass asks for would end the process.
        coder.decodingFailurePolicy = .setErrorAndReturn
        return $copying.withValue(Copying(coder: coder, original: original)) {
            type(of: original).init(coder: coder)
        }
    }

    /// What is copied where this coder stands for it; nil for the coder of an archive.
    package static func original<Value>(of coder: NSCoder, as type: Value.Type) -> Value? {
        guard let copying, copying.coder === coder else { return nil }
        return copying.original as? Value
    }
}
