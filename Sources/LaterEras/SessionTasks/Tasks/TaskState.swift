import Foundation
import FoundationNetworking

/// The state of a session's task: each method is an event, which may change the state and returns what is to be done.
///
/// A suspension always keeps the load, so a task has one load in its life. The state calls nothing: the task calls these
/// methods under its lock, and does what they return after the lock.
struct TaskState {
    enum State {
        /// Never begun. A new task counts as suspended once.
        case idle(suspensions: Int)
        case running
        /// Begun, and suspended so many times.
        case suspended(Int)
        /// Cancelled, or failed with a reason; the load has not ended.
        case ending(Ending)
        case ended((any Error)?)
        /// A data task that has become a download, which has the load now.
        case replaced(by: SessionDownloadTask)
    }

    /// What becomes of a task that is stopped before its load has ended.
    struct Ending {
        /// Nil where a caller cancelled it.
        var reason: (any Error)?
        /// Called with the resume data of a download.
        var wantsResumeData: (@Sendable (Data?) -> Void)?
    }

    enum Action {
        case none
        /// The network thread does what the state asks for then (`loadOrder`). The job has no command of its own, because
        /// jobs of two threads may come in another order.
        case follow
        /// The event goes to the download that replaced the task.
        case forward(to: SessionDownloadTask)
    }

    /// What the network thread does with the load.
    enum LoadOrder { case nothing, run, suspend, stop }

    struct Move {
        var action = Action.none
        /// Whether a resume found it not running, or a suspension found it running.
        var isChange = false
        var isFirst = false
        /// False where the event came too late: the end had begun, or the task had become a download.
        var isEffective = true
    }

    private(set) var state: State
    private(set) var hasBegun: Bool

    init() {
        state = .idle(suspensions: 1)
        hasBegun = false
    }

    /// A task that could not be made.
    init(failedWith error: any Error) {
        state = .ended(error)
        hasBegun = false
    }

    /// For tests.
    init(_ state: State) {
        self.state = state
        if case .idle = state { hasBegun = false } else { hasBegun = true }
    }

    // MARK: - Events of callers

    mutating func resume() -> Move {
        var move = Move(isChange: true, isFirst: !hasBegun)
        switch state {
        case .idle(suspensions: 1), .suspended(1):
            state = .running
            move.action = .follow
        case .idle(let count): state = .idle(suspensions: count - 1)
        case .suspended(let count): state = .suspended(count - 1)
        case .running: move.isChange = false
        case .replaced(let download):
            return Move(action: .forward(to: download), isEffective: false)
        case .ending, .ended: return Move(isEffective: false)
        }
        hasBegun = true
        return move
    }

    mutating func suspend() -> Move {
        switch state {
        case .running:
            state = .suspended(1)
            return Move(action: .follow, isChange: true)
        case .idle(let count): state = .idle(suspensions: count + 1)
        case .suspended(let count): state = .suspended(count + 1)
        case .replaced(let download):
            return Move(action: .forward(to: download), isEffective: false)
        case .ending, .ended: return Move(isEffective: false)
        }
        return Move()
    }

    mutating func end(_ ending: Ending) -> Move {
        switch state {
        case .idle, .running, .suspended:
            state = .ending(ending)
            return Move(action: .follow)
        case .replaced(let download):
            return Move(action: .forward(to: download), isEffective: false)
        case .ending, .ended: return Move(isEffective: false)
        }
    }

    // MARK: - Events of the load, on the delegate queue

    /// Its load has ended, after all that it brought.
    ///
    /// - Returns: what the task ends with; nil when it has ended before.
    mutating func loadEnded(_ error: (any Error)?) -> Ending? {
        switch state {
        case .idle, .running, .suspended:
            state = .ended(error)
            return Ending(reason: error)
        case .ending(var ending):
            // A cancelled task is cancelled, whatever became of its load meanwhile.
            let isCancelled = (error as? URLError)?.code == .cancelled
            ending.reason = ending.reason ?? (isCancelled ? error : URLError(.cancelled))
            state = .ended(ending.reason)
            return ending
        case .ended, .replaced:
            return nil
        }
    }

    /// Changes the error that it ended with: a download's file may be short or not be moved, and resume data are added.
    mutating func noteError(_ error: (any Error)?) {
        if case .ended = state { state = .ended(error) }
    }

    /// A download replaces it.
    ///
    /// - Returns: the download's state; nil where the end has begun, so that the task ends.
    mutating func becomes(_ download: SessionDownloadTask) -> TaskState? {
        switch state {
        case .running, .suspended:
            defer { state = .replaced(by: download) }
            return self
        case .idle, .ending, .ended, .replaced:
            return nil
        }
    }

    // MARK: - Questions

    var loadOrder: LoadOrder {
        switch state {
        case .running: .run
        case .suspended: .suspend
        case .ending: .stop
        case .idle, .ended, .replaced: .nothing
        }
    }

    /// Whether its end has not begun, and no download has replaced it.
    var isLive: Bool {
        switch state {
        case .idle, .running, .suspended: true
        case .ending, .ended, .replaced: false
        }
    }

    /// Whether its own end is over, or it has become a download.
    var hasEnded: Bool {
        switch state {
        case .ended, .replaced: true
        case .idle, .running, .suspended, .ending: false
        }
    }

    /// Whether a caller has cancelled it and it has not ended.
    var isCancelled: Bool {
        if case .ending(let ending) = state { return ending.reason == nil }
        return false
    }

    var error: (any Error)? {
        if case .ended(let error) = state { return error }
        return nil
    }

    /// The state of Foundation's type.
    var foundationState: URLSessionTask.State {
        switch state {
        case .idle, .suspended: .suspended
        case .running: .running
        case .ending: .canceling
        case .ended, .replaced: .completed
        }
    }
}
