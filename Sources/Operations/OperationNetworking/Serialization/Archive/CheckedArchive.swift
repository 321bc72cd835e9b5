public import Foundation
import HTTPSemantics

/// Reads archives that others may have written or changed.
///
/// `NSKeyedUnarchiver` on Linux stops the process where an archive names a class that is not
/// expected there, or where objects contain themselves. This type checks the archive before any
/// object is made, and refuses it with an error.
public enum CheckedArchive {
    /// The object in an archive.
    ///
    /// - Parameters:
    ///   - type: the expected class, or one of its superclasses.
    ///   - others: classes, with their subclasses, that the object itself refers to. The package's
    ///     classes refer to none, so this is for what subclasses archive. What such a class does
    ///     with damaged contents is up to it: several of Foundation's stop the process.
    ///   - data: an archive of `NSKeyedArchiver`, binary or XML.
    /// - Throws: `ArchiveError`.
    public static func object<Object: NSObject & NSSecureCoding>(
        of type: Object.Type, allowing others: [any NSSecureCoding.Type] = [], from data: Data
    ) throws(ArchiveError) -> Object {
        guard depth < mostArchivesInOneAnother else { throw .nestedTooDeeply }
        try check(data, [type] + others)
        let object: Object? = $depth.withValue(depth + 1) {
            guard let reader = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
            // Every class was checked. Foundation's own check stops the process over a checked
            // class that is in another's place; without that check the reading code gets nil.
            reader.requiresSecureCoding = false
            reader.decodingFailurePolicy = .setErrorAndReturn
            let root = reader.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
            return reader.error == nil ? root as? Object : nil
        }
        guard let object else { throw .unreadableObject }
        return object
    }

    /// Archives are nested where objects are; each nested one takes a part of the stack.
    @TaskLocal private static var depth = 0
    private static let mostArchivesInOneAnother = 16

    private static func check(
        _ data: Data, _ allowed: [any NSSecureCoding.Type]
    ) throws(ArchiveError) {
        do {
            let contents = try ArchiveContents(data)
            for name in try contents.classNames() {
                let named: AnyClass? =
                    NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
                guard let named, isAllowed(named, allowed) else {
                    throw ArchiveError.unexpectedClass(name.printable)
                }
            }
            try contents.checkNesting()
        } catch {
            throw error as? ArchiveError ?? .notAnArchive
        }
    }

    private static func isAllowed(
        _ named: AnyClass, _ allowed: [any NSSecureCoding.Type]
    ) -> Bool {
        func isKind<Parent: NSSecureCoding>(of parent: Parent.Type) -> Bool { named is Parent.Type }
        guard let coding = named as? any NSSecureCoding.Type, coding.supportsSecureCoding else {
            return false
        }
        return allowed.contains { isKind(of: $0) }
    }
}
