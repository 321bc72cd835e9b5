import Foundation

/// The body of a stored response, read from its file.
package struct StoredBody: Sendable {
    let id: UInt64
    /// Nil when the file is gone or damaged.
    let body: Data?
}

/// Where the body of a stored response may be read from.
package enum StoredBodies {
    /// Also from its file: the caller may block on a disk.
    case anywhere
    /// Only from memory, or what was read before.
    case memory(or: StoredBody?)
}
