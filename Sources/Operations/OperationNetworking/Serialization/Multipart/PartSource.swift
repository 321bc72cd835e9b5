import Foundation

/// The bytes of one step of a part, read in order by one thread.
package protocol PartSource: AnyObject {
    /// Whether `read` will not have to wait.
    var isReady: Bool { get }

    /// The next bytes. After an error it is not called again.
    ///
    /// - Parameter mayWait: whether the call may block until there are bytes; otherwise it returns
    ///   `dry`.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion

    /// Releases what it holds; may be called again.
    func finish()
}

/// The result of one read.
package enum PartPortion: Equatable {
    case bytes(Int)
    /// No bytes now; ask again later.
    case dry
    case end
}

/// Bytes in memory.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: nowhere.
final class DataSource: PartSource {
    private let bytes: Data
    private var position: Int

    init(_ bytes: Data) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    let isReady = true

    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion {
        let count = min(buffer.count, bytes.endIndex - position)
        guard count > 0 else { return .end }
        bytes.copyBytes(to: buffer, from: position..<position + count)
        position += count
        return .bytes(count)
    }

    func finish() {}
}
