import CurlConnection
import Foundation
import OperationNetworking

/// A part's stream, which can be read once.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: the stream.
final class FormStream {
    private let stream: InputStream
    private var isOpen = false
    private var isSpent = false

    init(_ stream: InputStream) {
        self.stream = stream
    }

    /// The number of bytes read, 0 at the end.
    func read(into block: UnsafeMutableRawBufferPointer) throws -> Int {
        if isSpent {
            throw MultipartError(
                .streamSpent, "The form has a part from a stream, which can be encoded only once.")
        }
        if !isOpen {
            isOpen = true
            if stream.streamStatus == .notOpen { stream.openHere() }
        }
        guard let start = block.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        let count = stream.read(start, maxLength: block.count)
        if count > 0 { return count }
        isSpent = true
        // Foundation stops the process when a stream is asked for an error that it does not have.
        let error = stream.streamStatus == .error ? stream.streamError : nil
        stream.close()
        if count == 0 { return 0 }
        throw error ?? MultipartError(.streamFailed, "A part's stream failed.")
    }
}
