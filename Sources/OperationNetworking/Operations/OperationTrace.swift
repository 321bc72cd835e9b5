import EventRecorder
import Foundation
import FoundationNetworking

// What a recording sees of operations: their states, their end, the blocks they call.

extension URLConnectionOperation {
    /// Whose events these are.
    var number: UInt64 { lock.number }

    /// A state is about to be announced. The lock is held.
    func note(_ old: OperationState, to new: OperationState) {
        guard EventRecorder.isRecording else { return }
        EventRecorder.instant(
            .operationState, subject: number, value: Int64(StateEdges.number(old, new)),
            text: StateEdges.text(old, new))
        if new == .executing, guarded.traceName == nil {
            let name = RequestName.of(
                method: guarded.request.httpMethod, url: guarded.request.url)
            guarded.traceName = name
            EventRecorder.begin(.operation, subject: number, text: name.text)
        } else if new == .finished, let name = guarded.traceName {
            EventRecorder.end(.operation, subject: number, text: name.text)
        }
    }

    /// Calls a progress block on main: behind what was put off, and before the end.
    func tell(
        _ block: @escaping Blocks.Progress, _ bytes: Int64, _ total: Int64, _ expected: Int64
    ) {
        lock.withLock { runThread }.tellAtOnce(on: Outbox.main) { [number] in
            EventRecorder.span(.callback, subject: number, text: .progress) {
                block(bytes, total, expected)
            }
        }
    }
}

/// "ready → executing" and all the others, made once.
private enum StateEdges {
    private static let count = 5
    private static let texts: [EventText] = {
        var texts = [EventText](repeating: .none, count: count * count)
        for old in OperationState.allCases {
            for new in OperationState.allCases {
                texts[place(old, new)] = EventText("\(old) → \(new)")
            }
        }
        return texts
    }()

    static func number(_ old: OperationState, _ new: OperationState) -> Int {
        old.rawValue * 256 + new.rawValue
    }

    static func text(_ old: OperationState, _ new: OperationState) -> EventText {
        texts[place(old, new)]
    }

    /// The numbers of states go from -1 to 3.
    private static func place(_ old: OperationState, _ new: OperationState) -> Int {
        (old.rawValue + 1) * count + new.rawValue + 1
    }
}

extension EventText {
    static let completion = EventText("completion")
    static let success = EventText("success")
    static let failure = EventText("failure")
    fileprivate static let progress = EventText("progress")
}
