import Foundation

/// Bytes of one step of a part, read in order by one thread.
protocol PartSource: AnyObject {
    /// Whether `read` will not have to wait.
    var isReady: Bool { get }

    /// The next bytes; after an error it is not asked again.
    ///
    /// - Parameter mayWait: whether it may wait for bytes, rather than say that it is dry.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion

    /// Gives back what it holds; again is harmless.
    func finish()
}

/// What one read gave.
enum PartPortion: Equatable {
    case bytes(Int)
    /// None now; ask again later.
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
