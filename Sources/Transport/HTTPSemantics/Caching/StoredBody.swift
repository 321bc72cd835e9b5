import Foundation

/// The body of a stored response, as it was read from its file.
package struct StoredBody: Sendable {
    let id: UInt64
    /// Nil when the file is gone or damaged.
    let body: Data?
}

/// Where the body of a stored response may come from.
package enum StoredBodies {
    /// From its file too: the caller may wait for a disk.
    case anywhere
    /// From memory alone, or what was read before.
    case memory(or: StoredBody?)
}
