import Foundation
import OperationNetworking

/// A request's body stream, for one transfer after the other (UM-05).
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around `isSpent`. It is not the task's: Foundation asks for
/// streams on the queue that whoever holds that one may be waiting for. Calls out on: nobody.
final class BodyStream: @unchecked Sendable {
    // @unchecked because the variable is only touched under `lock`, and the stream is handed over
    // once.
    private let stream: InputStream?
    private let lock = NSLock()
    private var isSpent = false

    init(_ stream: InputStream?) {
        self.stream = stream
    }

    /// A copy of a multipart form's stream; any other stream itself, once; nil where there is none.
    ///
    /// - Throws: `URLError.requestBodyStreamExhausted` where it was handed over before.
    func next() throws -> InputStream? {
        guard let stream else { return nil }
        if let replayable = stream as? any ReplayableBody {
            return EagerStream(try replayable.freshCopy())
        }
        let wasSpent = lock.withLock {
            defer { isSpent = true }
            return isSpent
        }
        if wasSpent { throw URLError(.requestBodyStreamExhausted) }
        return EagerStream(stream)
    }
}
