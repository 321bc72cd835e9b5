public import Foundation
import HTTPSemantics

/// Why an archive was not read. The codes never change.
public enum ArchiveError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
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

    /// The code of the case.
    public var errorCode: Int {
        switch self {
        case .notAnArchive: 1
        case .unexpectedClass: 2
        case .nestedTooDeeply: 3
        case .unreadableObject: 4
        }
    }

    /// The sentence of the case as the description.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: errorDescription ?? ""]
    }

    /// The sentence of the case.
    public var errorDescription: String? {
        switch self {
        case .notAnArchive: "The bytes are no archive, or are damaged."
        case .unexpectedClass(let name):
            "The archive names the class \(name.printable), which was not asked for."
        case .nestedTooDeeply: "The archive's objects are nested too deeply."
        case .unreadableObject: "The archive does not hold what the object is made of."
        }
    }
}
