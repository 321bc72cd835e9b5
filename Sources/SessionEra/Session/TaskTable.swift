import Locking
import SessionTasks

/// A manager's tasks and the delegate of each (UM-08).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table. Calls out on: nobody.
struct TaskTable: Sendable {
    private let delegates = Locked<[SessionTask: SessionTaskDelegate]>([:])

    func add(_ task: SessionTask, _ delegate: SessionTaskDelegate) {
        delegates.withLock { $0[task] = delegate }
    }

    func delegate(of task: SessionTask) -> SessionTaskDelegate? {
        delegates.withLock { $0[task] }
    }

    /// The task has ended.
    func remove(_ task: SessionTask) -> SessionTaskDelegate? {
        delegates.withLock { $0.removeValue(forKey: task) }
    }

    /// The tasks that have not ended, the oldest first.
    var tasks: [SessionTask] {
        delegates.withLock { $0.keys.sorted { $0.number < $1.number } }
    }
}
