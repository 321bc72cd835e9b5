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
        let edge = StateEdges.edge(old, new)
        switch new {
        case .executing where !guarded.hasBegun:
            guarded.name()
            guarded.hasBegun = true
            noteMove(edge, .begin)
        case .finished where guarded.hasBegun:
            guarded.name()
            noteMove(edge, .end)
        default:
            EventRecorder.instant(
                .operationState, subject: number, value: edge.value, text: edge.text)
        }
    }

    private func noteMove(_ edge: StateEdge, _ phase: Event.Phase) {
        EventRecorder.move(edge, phase, subject: number, text: guarded.traceName)
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
    private static let count = OperationState.allCases.count
    /// By the old state and then the new one.
    private static let all: [StateEdge] = OperationState.allCases.flatMap { old in
        OperationState.allCases.map { new in
            StateEdge(
                value: Int64(old.rawValue * 256 + new.rawValue),
                text: EventText(fixed: "\(old) → \(new)"))
        }
    }

    static func edge(_ old: OperationState, _ new: OperationState) -> StateEdge {
        all[place(old) * count + place(new)]
    }

    /// The cases' numbers are -1, 1, 2 and 3.
    private static func place(_ state: OperationState) -> Int { max(0, state.rawValue) }
}
