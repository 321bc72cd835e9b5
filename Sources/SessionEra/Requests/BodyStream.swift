import Foundation
import FoundationNetworking
import OperationNetworking

/// A request's body stream, for one transfer after the other (UM-05).
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around the variables. It is not the task's: Foundation asks
/// for streams on the queue that whoever holds that one may be waiting for. Calls out on: nobody.
final class BodyStream: @unchecked Sendable {
    // @unchecked because the variables are only touched under `lock`, and the stream is handed over
    // once.
    private let stream: InputStream?
    /// In bytes; nil where the request does not say.
    private let length: Int64?
    private let lock = NSLock()
    private var isSpent = false
    private var error: (any Error)?

    init(_ request: URLRequest) {
        stream = request.httpBodyStream
        length = BodyFraming.declaredLength(of: request)
    }

    /// Why the last one handed over could not be read to its end, or nil. Foundation says of any
    /// such stream that a callback aborted the operation.
    var failure: (any Error)? { lock.withLock { error } }

    /// A copy of a multipart form's stream; any other stream itself, once; nil where there is none.
    ///
    /// - Throws: `URLError.requestBodyStreamExhausted` where it was handed over before.
    func next() throws -> InputStream? {
        guard let stream else { return nil }
        if let replayable = stream as? any ReplayableBody {
            return reading(try replayable.freshCopy())
        }
        let wasSpent = lock.withLock {
            defer { isSpent = true }
            return isSpent
        }
        if wasSpent { throw URLError(.requestBodyStreamExhausted) }
        return reading(stream)
    }

    /// A stream as Foundation can read it: as long as the request says, or failed.
    func reading(_ stream: InputStream) -> InputStream {
        lock.withLock { error = nil }
        return EagerStream(stream, length: length) { [weak self] error in
            self?.lock.withLock { self?.error = error }
        }
    }
}
