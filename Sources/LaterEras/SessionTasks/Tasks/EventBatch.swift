import CurlConnection
import Foundation
import Locking

/// What loads bring, on its way from the network thread to a session's delegate queue, in order.
///
/// One operation delivers all that waits, because an operation of a queue costs more than most
/// calls do. What comes while it runs waits for the next one, so that operations of the caller's own are not held up.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: the queue.
final class EventBatch: Sendable {
    enum Entry: Sendable {
        case event(ConnectionTransfer, TaskEvent)
        case question(ConnectionTransfer, TaskQuestion)
        /// The session is invalid.
        case last(@Sendable () -> Void)
    }

    private let queue: OperationQueue
    private let waiting = Locked<[Entry]>([])

    init(_ queue: OperationQueue) {
        self.queue = queue
    }

    /// - Parameter pass: of the network thread, where that is the caller: what one pass of its run
    ///   loop brings is sent at its end, in one operation.
    func append(_ entry: Entry, in pass: RunLoopPass? = nil) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(entry)
            return waiting.count == 1
        }
        guard isFirst else { return }
        if let pass { pass.atEnd(send) } else { send() }
    }

    private func send() {
        queue.addOperation { self.drain() }
    }

    private func drain() {
        let entries = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for entry in entries {
            switch entry {
            case .event(let load, let event): load.deliver(event)
            case .question(let load, let question): load.deliver(question)
            case .last(let call): call()
            }
        }
    }
}
