import Foundation
public import HTTPSemantics

/// Why an archive was not read. The codes never change.
public enum ArchiveError: NumberedError, Hashable, Sendable {
    /// 1: the bytes are no keyed archive with one root object, or are damaged.
    case notAnArchive
    /// 2: the archive names a class that was not asked for, that does not exist, or that cannot be
    /// archived securely.
    case unexpectedClass(String)
    /// 3: objects are nested more than 128 deep, or contain themselves.
    case nestedTooDeeply
    /// 4: an object could not be made from its contents in the archive.
    case unreadableObject

    /// The text `OperationNetworking.ArchiveError`.
    public static var errorDomain: String { "OperationNetworking.ArchiveError" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .notAnArchive: (1, "The bytes are no archive, or are damaged.")
        case .unexpectedClass(let name):
            (2, "The archive names the class \(name.printable), which was not asked for.")
        case .nestedTooDeeply: (3, "The archive's objects are nested too deeply.")
        case .unreadableObject: (4, "The archive does not hold what the object is made of.")
        }
    }
}
