import Foundation
import FoundationNetworking
import Locking
import OperationNetworking

/// A request's body stream, for each transfer of a task in turn (UM-05).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. It is not the task's lock: Foundation
/// asks for streams on a queue for which the holder of that lock may wait. Calls out on: nothing.
final class BodyStream: Sendable {
    private struct State {
        let stream: InputStream?
        var isSpent = false
        var error: (any Error)?
    }

    /// In bytes; nil where the request declares none.
    private let length: Int64?
    private let state: Locked<State>

    init(_ request: URLRequest) {
        state = Locked(State(stream: request.httpBodyStream))
        length = BodyFraming.declaredLength(of: request)
    }

    /// The reason why the last stream could not be read to its end, or nil. Foundation reports
    /// every such failure as an operation that a callback aborted; URLConnection reports it itself.
    var failure: (any Error)? { state.withLock { $0.error } }

    /// A copy of a multipart form's stream; any other stream itself, once; nil without a stream.
    ///
    /// - Throws: `URLError.requestBodyStreamExhausted` when the stream was used before.
    func next() throws -> InputStream? {
        let stream = state.withLock { $0.stream }
        guard let stream else { return nil }
        if let replayable = stream as? any ReplayableBody {
            return try replayable.freshCopy()
        }
        let wasSpent = state.withLock { state in
            defer { state.isSpent = true }
            return state.isSpent
        }
        if wasSpent { throw URLError(.requestBodyStreamExhausted) }
        return stream
    }

    /// Whether somebody has read a stream to its end; Foundation would send an empty body.
    static func isRead(_ stream: InputStream) -> Bool {
        stream.streamStatus == .closed || stream.streamStatus == .atEnd
    }

    /// A stream that Foundation can read: it has the declared length, or fails.
    func reading(_ stream: InputStream) -> InputStream {
        state.withLock { $0.error = nil }
        return EagerStream(stream, length: length) { [weak self] error in
            self?.state.withLock { $0.error = error }
        }
    }
}
