/// The four states of an operation and every legal move between them: a pure table (OP-1 to OP-7).
///
/// The original's table, with the repairs of wounds 12, 13, 14 and 27: cancelling a paused
/// operation ends it, a result that came before a pause took effect counts, and `start` has one
/// owner.
enum OperationState: Int, CaseIterable, Sendable {
    case paused = -1
    case ready = 1
    case executing = 2
    case finished = 3

    /// The key path that is true in this state and no other.
    var keyPath: String {
        switch self {
        case .paused: "isPaused"
        case .ready: "isReady"
        case .executing: "isExecuting"
        case .finished: "isFinished"
        }
    }

    /// What can happen to an operation.
    enum Event: CaseIterable, Sendable {
        /// The queue, or a caller without a queue, calls `start`.
        case start
        case cancel
        case pause
        case resume
        /// The network thread has a result: a response, an error, or the cancel error.
        case complete
    }

    /// What, besides the state, decides a move.
    struct Circumstances: Hashable, Sendable {
        /// `cancel` took effect earlier.
        var isCancelled = false
        /// Every dependency is finished.
        var areDependenciesDone = true
        /// `start` was called before: the operation, not its queue, owns the next start.
        var wasStarted = false
        /// It failed while it was paused and nobody had started it: its start ends it.
        var hasFailed = false

        /// Whether its start ends it.
        var isOver: Bool { isCancelled || hasFailed }
    }

    /// What is handed to the network thread with a move.
    enum Work: Hashable, Sendable {
        case none
        /// Make the connection and start it.
        case begin
        /// Cancel the connection, keep what it brought.
        case interrupt
        /// Cancel the connection and complete with the cancel error.
        case abort
    }

    /// The states to pass through, in order, and the work to hand on. No state means no move.
    struct Moves: Hashable, Sendable {
        var states: [OperationState] = []
        var work = Work.none
    }

    /// The moves an event makes; an event that means nothing in a state makes none, as in the
    /// original (OP-3).
    func moves(on event: Event, _ circumstances: Circumstances) -> Moves {
        switch (event, self) {
        case (.start, .ready) where circumstances.isOver:
            Moves(work: .abort)
        case (.start, .ready) where circumstances.areDependenciesDone:
            Moves(states: [.executing], work: .begin)

        case (.cancel, _) where circumstances.isCancelled:
            Moves()
        case (.cancel, .executing):
            Moves(work: .abort)
        case (.cancel, .paused) where circumstances.wasStarted,
            (.cancel, .ready) where circumstances.wasStarted:
            Moves(work: .abort)
        case (.cancel, .paused):
            // Ready again, so that its queue starts it, which finishes a cancelled operation.
            Moves(states: [.ready])

        case (.pause, _) where circumstances.isOver:
            Moves()
        case (.pause, .ready):
            Moves(states: [.paused])
        case (.pause, .executing):
            Moves(states: [.paused], work: .interrupt)

        case (.resume, .paused) where circumstances.isCancelled:
            Moves()
        case (.resume, .paused) where circumstances.wasStarted:
            Moves(states: [.ready, .executing], work: .begin)
        case (.resume, .paused):
            Moves(states: [.ready])

        case (.complete, .executing), (.complete, .paused):
            Moves(states: [.finished])
        case (.complete, .ready) where circumstances.isOver:
            Moves(states: [.finished])

        default:
            Moves()
        }
    }
}

/// One change of one key path, as key-value observing would report it.
package struct StateAnnouncement: Hashable, Sendable {
    package var keyPath: String
    package var isTrue: Bool
}
