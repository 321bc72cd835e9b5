public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Locking
public import SessionTasks

/// Hears what happens to the tasks of a manager, and passes it to their requests (AL-36).
///
/// Each closure replaces what the delegate does by itself, wholly; one with a completion wins over
/// the one without. They may be set while tasks run. Their `URLSession` is `SessionManager.session`.
///
/// Stream tasks are not on Linux, and neither are the four closures about them.
///
/// ## Concurrency
/// Call from: any thread. Locks: one around the closures, one around the table and the retrier. Calls
/// out, without them, on: the session's delegate queue.
open class SessionDelegate: NSObject, URLSessionDelegate, @unchecked Sendable {
    // @unchecked because a class that others may inherit from cannot be checked; all it has guards
    // itself.
    struct State {
        weak var manager: SessionManager?
        var retrier: (any RequestRetrier)?
        var policies: ServerTrustPolicyManager?
        var table = RequestTable()
    }

    let closures = Locked(SessionClosures())
    let state = Locked(State())

    /// A delegate without closures.
    public override init() {}

    /// The request of a task; setting nil makes the delegate forget it: its handlers are then called
    /// when the manager goes.
    open subscript(task: SessionTask) -> Request? {
        get { state.withLock { $0.table[task] } }
        set {
            let old = state.withLock { state in
                defer { state.table[task] = newValue }
                return state.table[task]
            }
            withExtendedLifetime(old) {}
        }
    }

    var retrier: (any RequestRetrier)? {
        get { state.withLock { $0.retrier } }
        set {
            let old = state.withLock { state in
                defer { state.retrier = newValue }
                return state.retrier
            }
            withExtendedLifetime(old) {}
        }
    }

    func join(_ manager: SessionManager, _ policies: ServerTrustPolicyManager?) {
        state.withLock { state in
            state.manager = manager
            state.policies = policies
        }
    }

    // MARK: - Requests

    /// Keeps a request until it has ended, and enters its task: before the task can run.
    func enter(_ request: Request) {
        let task = request.task
        state.withLock { state in
            state.table.keep(request)
            if let task { state.table[task] = request }
        }
    }

    /// Lets go of a request that has ended.
    func letGo(_ request: Request) {
        state.withLock { $0.table.letGo(request) }
    }

    /// Cancels what waits, for its manager goes; its tasks are cancelled by the session.
    func managerGoes() {
        for request in state.withLock({ $0.table.requests }) {
            let error = URLError(.cancelled, url: request.request?.url)
            if request.state.withLock({ $0.endWithManager(error) }) { finishSoon(request) }
        }
    }
}
