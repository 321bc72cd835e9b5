import Foundation
import FoundationNetworking
import Locking

/// A manager's session: none before the first use, and none after a reset; and what it is
/// made with.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state, also while a session is made. Calls out on:
/// nothing.
final class SessionSlot: @unchecked Sendable {
    // @unchecked because the configuration is a copy that does not change; the rest is locked or
    // constant.
    let configuration: URLSessionConfiguration

    private struct State {
        var queue: OperationQueue
        /// Shared with the sessions.
        var options = Locked(LoadOptions())
        var session: TaskSession?
        /// Those that were reset, which may have tasks still.
        var former: [Former] = []
    }

    private struct Former {
        weak var session: TaskSession?
    }

    private let state: Locked<State>

    init(_ configuration: URLSessionConfiguration?) {
        let copy = configuration?.copy() as? URLSessionConfiguration
        self.configuration = copy ?? .default
        let queue = OperationQueue.serial(named: "com.alamofire.networking.session.delegate")
        state = Locked(State(queue: queue))
    }

    var queue: OperationQueue { state.withLock { $0.queue } }
    var options: Locked<LoadOptions> { state.withLock { $0.options } }

    /// It, and those that were reset and have tasks still.
    var sessions: [TaskSession] {
        state.withLock { $0.former.compactMap(\.session) + ($0.session.map { [$0] } ?? []) }
    }

    func session(for manager: any TaskSessionDelegate) -> TaskSession {
        state.withLock { state in
            if let session = state.session { return session }
            let new = TaskSession(
                configuration: configuration, options: state.options, delegate: manager,
                delegateQueue: state.queue)
            state.session = new
            return new
        }
    }

    /// Removes a session, unless it was replaced before.
    func reset(_ session: TaskSession) {
        // The caller retains it, so it is not released under the lock.
        state.withLock { state in
            guard state.session === session else { return }
            state.session = nil
            state.former.removeAll { $0.session == nil }
            state.former.append(Former(session: session))
        }
    }

    /// Takes the sessions of another manager, which then makes a new one.
    ///
    /// - Returns: the sessions.
    func takeSessions(of other: SessionSlot) -> [TaskSession] {
        var taken = other.state.withLock { state in
            let taken = state
            (state.session, state.former) = (nil, [])
            state.options = Locked(taken.options.current)
            return taken
        }
        // What this one had is released after the lock.
        state.withLock { swap(&$0, &taken) }
        return sessions
    }
}

extension URLSessionManager {
    /// Makes a manager that takes the session of another one and those that it has reset, with
    /// their tasks.
    ///
    /// The tasks continue. From now on they call this manager's blocks, and use its serializer and
    /// its queues; their completion handlers, progress blocks and destinations stay. Both managers
    /// have one delegate queue. The other one has no task any more, and makes a new session when it
    /// next needs one.
    ///
    /// AFNetworking adopted tasks that a background session had from an earlier process, without
    /// their handlers; Linux has no such sessions.
    public convenience init(adoptingTasksOf manager: URLSessionManager) {
        self.init(sessionConfiguration: manager.slot.configuration)
        adopt(manager)
    }

    func adopt(_ manager: URLSessionManager) {
        let forwards = forwardsCredentialsToOtherOrigins
        let sessions = slot.takeSessions(of: manager.slot)
        forwardsCredentialsToOtherOrigins = forwards
        for session in sessions {
            session.replaceDelegate(by: self)
            session.forgetAnswersAboutServers()
        }
    }
}
