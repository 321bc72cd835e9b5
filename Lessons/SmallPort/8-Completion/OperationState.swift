import Synchronization

/// The states of an operation, and what may follow what. One number, so that it can be atomic.
enum OperationState: Int, AtomicRepresentable, Sendable {
    case ready, executing, finished

    /// The name of the property that is true in this state alone.
    var key: String { ["isReady", "isExecuting", "isFinished"][rawValue] }

    /// Whether a move is legal. An operation that was cancelled ends without having run.
    func mayBecome(_ next: OperationState, isCancelled: Bool) -> Bool {
        switch (self, next) {
        case (.ready, .executing), (.executing, .finished): true
        case (.ready, .finished): isCancelled
        default: false
        }
    }
}
