import Foundation
import FoundationNetworking

/// The state of a session's task: each method is an event, which may change the state and returns what is to be done.
///
/// A suspension always keeps the load, so a task has one load in its life. The state calls no code: the task sends it
/// events under its lock, and does what they return after the lock.
struct TaskState {
    enum State {
        /// Not running yet; suspended so many times, once as it is made.
        case idle(suspensions: Int)
        case running
        /// Begun, and suspended so many times since.
        case suspended(Int)
        /// Cancelled, or failed with a reason; the load is still to be stopped.
        case ending(Ending)
        case ended((any Error)?)
        /// It has become a download, which has the load now.
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
        /// A job on the network thread that does there what the state asks for (`errand`). It carries no command, because
        /// jobs of two threads may overtake each other.
        case follow
        /// The download that took over does the same.
        case forward(to: SessionDownloadTask)
    }

    /// What the network thread does with the load.
    enum Errand { case nothing, run, suspend, stop }

    struct Move {
        var action = Action.none
        /// Whether a resume found it not running, or a suspension found it running (UM-14).
        var isNews = false
        /// Whether it is the first resume.
        var isFirst = false
        /// Whether the event meant something: the task had not ended.
        var wasLive = true
    }

    private(set) var state: State
    /// Whether it was ever resumed.
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
        var move = Move(isNews: true, isFirst: !hasBegun)
        switch state {
        case .idle(suspensions: 1), .suspended(1):
            state = .running
            move.action = .follow
        case .idle(let count): state = .idle(suspensions: count - 1)
        case .suspended(let count): state = .suspended(count - 1)
        case .running: move.isNews = false
        case .replaced(let download): return Move(action: .forward(to: download), wasLive: false)
        case .ending, .ended: return Move(wasLive: false)
        }
        hasBegun = true
        return move
    }

    mutating func suspend() -> Move {
        switch state {
        case .running:
            state = .suspended(1)
            return Move(action: .follow, isNews: true)
        case .idle(let count): state = .idle(suspensions: count + 1)
        case .suspended(let count): state = .suspended(count + 1)
        case .replaced(let download): return Move(action: .forward(to: download), wasLive: false)
        case .ending, .ended: return Move(wasLive: false)
        }
        return Move()
    }

    mutating func end(_ ending: Ending) -> Move {
        switch state {
        case .idle, .running, .suspended:
            state = .ending(ending)
            return Move(action: .follow)
        case .replaced(let download): return Move(action: .forward(to: download), wasLive: false)
        case .ending, .ended: return Move(wasLive: false)
        }
    }

    // MARK: - Events of the load, on the delegate queue

    /// Its load has ended, behind all that it brought.
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

    /// Sets the error that it ended with, which looking at a download's file and moving it may change.
    mutating func noteError(_ error: (any Error)?) {
        if case .ended = state { state = .ended(error) }
    }

    /// A download takes its load over.
    ///
    /// - Returns: the download's state; nil where the end has begun, which wins.
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

    /// What the network thread does with the load now.
    var errand: Errand {
        switch state {
        case .running: .run
        case .suspended: .suspend
        case .ending: .stop
        case .idle, .ended, .replaced: .nothing
        }
    }

    /// Whether its end has not begun.
    var isLive: Bool {
        switch state {
        case .idle, .running, .suspended: true
        case .ending, .ended, .replaced: false
        }
    }

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

    /// As Foundation has it.
    var shown: URLSessionTask.State {
        switch state {
        case .idle, .suspended: .suspended
        case .running: .running
        case .ending: .canceling
        case .ended, .replaced: .completed
        }
    }
}
