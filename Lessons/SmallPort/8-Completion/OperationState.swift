/// The states of an operation, and what may follow what.
enum OperationState: String, Sendable {
    case ready = "isReady"
    case executing = "isExecuting"
    case finished = "isFinished"

    /// The name of the property that is true in this state alone.
    var key: String { rawValue }

    /// Whether a move is legal. An operation that was cancelled ends without having run.
    func mayBecome(_ next: OperationState, isCancelled: Bool) -> Bool {
        switch (self, next) {
        case (.ready, .executing), (.executing, .finished): true
        case (.ready, .finished): isCancelled
        default: false
        }
    }
}
