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
            .operationState, subject: number, value: Int64(old.rawValue << 8 | new.rawValue),
            text: EventText("\(old) → \(new)"))
        if new == .executing, !guarded.isRecorded {
            guarded.isRecorded = true
            EventRecorder.begin(.operation, subject: number, text: traceName)
        } else if new == .finished, guarded.isRecorded {
            EventRecorder.end(.operation, subject: number, text: traceName)
        }
    }

    private var traceName: EventText {
        let request = guarded.request
        return EventText(method: request.httpMethod, url: request.url)
    }

    /// Calls a progress block on main.
    func tell(
        _ block: @escaping Blocks.Progress, _ bytes: Int64, _ total: Int64, _ expected: Int64
    ) {
        DispatchQueue.main.recordedAsync { [number] in
            EventRecorder.span(.callback, subject: number, text: .progress) {
                block(bytes, total, expected)
            }
        }
    }
}

extension EventText {
    static let completion = EventText("completion")
    static let success = EventText("success")
    static let failure = EventText("failure")
    fileprivate static let progress = EventText("progress")
}
