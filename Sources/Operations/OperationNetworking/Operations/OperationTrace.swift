import EventRecorder
import Foundation
import FoundationNetworking

// What a recording sees of operations: their states, their end, the blocks they call.
// And their description.

extension URLConnectionOperation {
    /// The subject of its events.
    package var number: UInt64 { lock.number }

    /// A state is about to be announced. One that waits for its place is shown as ready. The lock is held.
    func note(_ old: OperationMachine.Key?, to new: OperationMachine.Key?) {
        guard EventRecorder.isRecording, let new else { return }
        let old = old ?? .ready
        EventRecorder.instant(
            .operationState, subject: number, value: Int64(old.rawValue * 256 + new.rawValue),
            text: StateEdges.text(old, new))
        switch new {
        case .executing where !guarded.hasBegun:
            guarded.name()
            guarded.hasBegun = true
            EventRecorder.begin(.operation, subject: number, text: guarded.traceName)
        case .finished where guarded.hasBegun:
            guarded.name()
            EventRecorder.end(.operation, subject: number, text: guarded.traceName)
        default: break
        }
    }

    /// State, request and response, without secrets.
    var described: String {
        let (request, response) = lock.withLock { (guarded.request, guarded.response) }
        let url = request.url.map { Redaction.address($0.absoluteString) }
        return "state: \(state?.keyPath ?? "waiting"), cancelled: \(isCancelled ? "YES" : "NO") "
            + "request: \(url ?? "nil"), response: \(response?.shown ?? "nil")"
    }

    /// Calls a progress block on main, after the blocks enqueued before and before the end.
    func report(
        _ block: @escaping Blocks.Progress, _ bytes: Int64, _ total: Int64, _ expected: Int64
    ) {
        lock.withLock { runThread }.tellAtOnce(on: CallbackBatch.main) { [number] in
            EventRecorder.span(.callback, subject: number, text: .progress) {
                block(bytes, total, expected)
            }
        }
    }
}

/// "ready → executing" and all the others, made once.
private enum StateEdges {
    private static let count = OperationMachine.Key.allCases.count
    /// By the old state and then the new one.
    private static let all = OperationMachine.Key.allCases.flatMap { old in
        OperationMachine.Key.allCases.map { new in EventText(fixed: "\(old) → \(new)") }
    }

    static func text(_ old: OperationMachine.Key, _ new: OperationMachine.Key) -> EventText {
        all[place(old) * count + place(new)]
    }

    /// The cases' numbers are -1, 1, 2 and 3.
    private static func place(_ state: OperationMachine.Key) -> Int { max(0, state.rawValue) }
}
