import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import SessionTasks

/// A manager's session: none before the first use, and none after a reset (UM-02); and what it is
/// made with.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state, also while a session is made. Calls out on:
/// nobody.
final class SessionSlot: @unchecked Sendable {
    // @unchecked because the configuration is a copy that does not change; the rest is locked or
    // constant.
    let configuration: URLSessionConfiguration

    private struct State {
        var queue: OperationQueue
        var connection: URLConnectionConfiguration?
        var retryPolicy: RetryPolicy?
        var interceptor: (any RequestInterceptor)?
        var observedManager: ObservedManager?
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

    var connection: URLConnectionConfiguration? {
        get { state.withLock { $0.connection } }
        set {
            replace(\.connection, by: newValue)?.connectionConfiguration = newValue
        }
    }

    var retryPolicy: RetryPolicy? {
        get { state.withLock { $0.retryPolicy } }
        set {
            replace(\.retryPolicy, by: newValue)?.retryPolicy = newValue
        }
    }

    var interceptor: (any RequestInterceptor)? {
        get { state.withLock { $0.interceptor } }
        set {
            replace(\.interceptor, by: newValue)?.interceptor = newValue
        }
    }

    var observedManager: ObservedManager? {
        get { state.withLock { $0.observedManager } }
        set {
            replace(\.observedManager, by: newValue)?.observedManager = newValue
        }
    }

    /// - Returns: the session. What was replaced goes after the lock, with what it holds of the caller's.
    private func replace<Value>(
        _ part: WritableKeyPath<State, Value>, by new: Value
    ) -> TaskSession? {
        var value = new
        return state.withLock { state in
            swap(&state[keyPath: part], &value)
            return state.session
        }
    }

    /// The session, if there is one.
    var current: TaskSession? { state.withLock { $0.session } }

    /// It, and those before that have tasks still.
    var sessions: [TaskSession] {
        state.withLock { $0.former.compactMap(\.session) + ($0.session.map { [$0] } ?? []) }
    }

    func session(
        for manager: any TaskSessionDelegate, forwardsCredentials: Bool
    ) -> TaskSession {
        state.withLock { state in
            if let session = state.session { return session }
            let new = TaskSession(
                configuration: configuration, connection: state.connection,
                delegate: manager, delegateQueue: state.queue)
            new.forwardsCredentialsToOtherOrigins = forwardsCredentials
            if let policy = state.retryPolicy { new.retryPolicy = policy }
            if let interceptor = state.interceptor { new.interceptor = interceptor }
            new.observedManager = state.observedManager
            state.session = new
            return new
        }
    }

    /// Removes a session, unless another one has taken its place.
    func reset(_ session: TaskSession) {
        // The caller holds it, so it does not go under the lock.
        state.withLock { state in
            guard state.session === session else { return }
            state.session = nil
            state.former.removeAll { $0.session == nil }
            state.former.append(Former(session: session))
        }
    }

    /// Takes the session of another manager, which then makes a new one (UM-03).
    func takeSession(of other: SessionSlot) -> TaskSession? {
        let old = other.state.withLock { state in
            defer { state.session = nil }
            return state
        }
        var new = old
        new.former = []
        // What this one had goes after the lock.
        state.withLock { swap(&$0, &new) }
        return old.session
    }
}
