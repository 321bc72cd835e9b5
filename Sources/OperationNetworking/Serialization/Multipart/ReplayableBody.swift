package import Foundation

/// A body stream that can be sent again: after a 401, a 307, or in a copy of the operation.
package protocol ReplayableBody: InputStream {
    /// A stream that is not open and gives the same bytes from the first one on.
    ///
    /// - Throws: an error that says why that is impossible.
    func freshCopy() throws -> InputStream
}
