import Foundation
import FoundationNetworking
import Locking
import OperationNetworking

/// A request's body stream, for each transfer of a task in turn (UM-05).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: nothing.
final class BodyStream: Sendable {
    private struct State {
        let stream: InputStream?
        var isSpent = false
    }

    private let state: Locked<State>

    init(_ request: URLRequest) {
        state = Locked(State(stream: request.httpBodyStream))
    }

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
}
