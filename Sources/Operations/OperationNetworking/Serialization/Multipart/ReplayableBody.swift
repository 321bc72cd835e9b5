package import Foundation

/// A body stream that can be sent again: after a 401, a 307, or in a copy of the operation.
package protocol ReplayableBody: InputStream {
    /// A new stream, not yet open, with the same bytes from the first one on.
    ///
    /// - Throws: an error that says why there cannot be one.
    func freshCopy() throws -> InputStream
}
