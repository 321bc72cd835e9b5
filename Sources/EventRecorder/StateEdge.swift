import Synchronization

/// A change of an operation's state, by a number that fits into a slot beside the beginning or end that
/// the change makes: one event instead of two.
package struct StateEdge: Sendable {
    /// As in ``Event/Kind/operationState``.
    package let value: Int64
    package let text: EventText
    /// From 0.
    let number: Int64

    private static let all = Mutex<[StateEdge]>([])

    /// Makes one more; for a table that is made once.
    package init(value: Int64, text: EventText) {
        self = Self.all.withLock { all in
            let edge = StateEdge(value: value, text: text, number: Int64(all.count))
            all.append(edge)
            return edge
        }
    }

    private init(value: Int64, text: EventText, number: Int64) {
        (self.value, self.text, self.number) = (value, text, number)
    }

    static func of(_ number: Int64) -> StateEdge {
        all.withLock { $0[Int(number)] }
    }

    /// The two events that one stands for.
    ///
    /// - Parameter operation: with the edge's number as its value.
    static func unfolded(_ operation: Event) -> (edge: Event, operation: Event) {
        let edge = of(operation.value)
        var (state, operation) = (operation, operation)
        (state.kind, state.phase) = (.operationState, .instant)
        (state.value, state.text) = (edge.value, edge.text)
        operation.value = 0
        return (state, operation)
    }
}

extension EventRecorder {
    /// Records a change of state and the beginning or end of an operation that it makes.
    package static func move(
        _ edge: StateEdge, _ phase: Event.Phase, subject: UInt64, text: EventText
    ) {
        guard isRecording else { return }
        noteMove(phase, subject, edge.number, text)
    }
}
