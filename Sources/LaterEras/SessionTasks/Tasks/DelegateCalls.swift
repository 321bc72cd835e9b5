import CurlConnection
import Foundation
import Locking

/// Calls of the network thread for a session's delegate queue, in their order.
///
/// One operation carries all that wait, because each operation of a queue costs more than most
/// calls do. A call that comes while they are made goes into the next operation, so that operations
/// of the caller's own have their turn.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: the queue.
final class DelegateCalls: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
    }

    private let queue: OperationQueue
    private let state = Locked(State())

    init(_ queue: OperationQueue) {
        self.queue = queue
    }

    /// - Parameter pass: of the network thread, where that is the caller: what one pass of its run
    ///   loop tells goes out at its end, in one operation.
    func add(in pass: RunLoopPass? = nil, _ call: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.waiting.append(call)
            return state.waiting.count == 1
        }
        guard isFirst else { return }
        if let pass { pass.atEnd(send) } else { send() }
    }

    private func send() {
        queue.addOperation { self.makeAll() }
    }

    private func makeAll() {
        let calls = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for call in calls { call() }
    }
}
