import Locking
import SessionTasks

/// A manager's tasks and the delegate of each (UM-08).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the lists, and one around each list. Calls out on: nobody.
struct TaskTable: Sendable {
    private typealias List = Locked<[SessionTask: SessionTaskDelegate]>

    private struct Lists {
        var own = List([:])
        /// Those of another manager now, as long as calls for them may be under way (UM-03).
        var given: List?
    }

    private let lists = Locked(Lists())

    func add(_ task: SessionTask, _ delegate: SessionTaskDelegate) {
        lists.withLock { $0.own }.withLock { $0[task] = delegate }
    }

    func delegate(of task: SessionTask) -> SessionTaskDelegate? {
        let lists = lists.withLock { $0 }
        return lists.own.withLock { $0[task] } ?? lists.given?.withLock { $0[task] }
    }

    /// The task has ended.
    func remove(_ task: SessionTask) -> SessionTaskDelegate? {
        let lists = lists.withLock { $0 }
        return lists.own.withLock { $0.removeValue(forKey: task) }
            ?? lists.given?.withLock { $0.removeValue(forKey: task) }
    }

    /// The tasks that have not ended, the oldest first.
    var tasks: [SessionTask] {
        lists.withLock { $0.own }.withLock { $0.keys.sorted { $0.number < $1.number } }
    }

    // MARK: - Adoption

    /// Takes all tasks of another table, which finds them until `forgetGiven`. This one is empty.
    func take(from other: TaskTable) {
        let list = other.lists.withLock { lists in
            let list = lists.own
            lists = Lists(own: List([:]), given: list)
            return list
        }
        lists.withLock { $0.own = list }
    }

    func forgetGiven() {
        lists.withLock { $0.given = nil }
    }
}
