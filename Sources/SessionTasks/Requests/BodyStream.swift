import Foundation
import FoundationNetworking
import OperationNetworking

/// A request's body stream, for each transfer of a task in turn (UM-05).
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around the variables. It is not the task's lock: Foundation
/// asks for streams on a queue for which the holder of that lock may wait. Calls out on: nothing.
final class BodyStream: @unchecked Sendable {
    // @unchecked because the variables are only touched under `lock`, and the stream is passed on
    // once.
    private let stream: InputStream?
    /// In bytes; nil where the request declares none.
    private let length: Int64?
    private let lock = NSLock()
    private var isSpent = false
    private var error: (any Error)?

    init(_ request: URLRequest) {
        stream = request.httpBodyStream
        length = BodyFraming.declaredLength(of: request)
    }

    /// The reason why the last stream could not be read to its end, or nil. Foundation reports
    /// every such failure as an operation that a callback aborted; URLConnection reports it itself.
    var failure: (any Error)? { lock.withLock { error } }

    /// A copy of a multipart form's stream; any other stream itself, once; nil without a stream.
    ///
    /// - Throws: `URLError.requestBodyStreamExhausted` when the stream was used before.
    func next() throws -> InputStream? {
        guard let stream else { return nil }
        if let replayable = stream as? any ReplayableBody {
            return try replayable.freshCopy()
        }
        let wasSpent = lock.withLock {
            defer { isSpent = true }
            return isSpent
        }
        if wasSpent { throw URLError(.requestBodyStreamExhausted) }
        return stream
    }

    /// A stream that Foundation can read: it has the declared length, or fails.
    func reading(_ stream: InputStream) -> InputStream {
        lock.withLock { error = nil }
        return EagerStream(stream, length: length) { [weak self] error in
            self?.lock.withLock { self?.error = error }
        }
    }
}
